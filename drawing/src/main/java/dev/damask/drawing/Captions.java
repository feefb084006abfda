package dev.damask.drawing;

import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.Alternative;
import dev.damask.term.Attribute;
import dev.damask.term.Cron;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.JoinPolicy.Need;
import dev.damask.term.JoinPolicy.Rest;
import dev.damask.term.JoinPolicy.Shortage;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Place;
import dev.damask.term.Schedule;
import dev.damask.term.Schedule.CatchUp;
import dev.damask.term.Term;
import dev.damask.term.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The captions in a diagram: short texts for the parameters of terms.
final class Captions {
  private Captions() {}

  static String join(JoinPolicy policy, int branches) {
    List<String> words = new ArrayList<>();
    words.add(
        switch (policy.need()) {
          case Need.All() -> "all";
          case Need.Sync() -> "sync";
          case Need.Count(int k) -> k == 0 ? "no waiting" : k + " of " + branches;
        });
    if (policy.rest() == Rest.CANCEL) {
      words.add("cancel rest");
    }
    boolean isSync = policy.need() instanceof Need.Sync;
    if (policy.shortage() != (isSync ? Shortage.SHRINK : Shortage.ABORT)) {
      words.add(isSync ? "or abort" : "or fewer");
    }
    if (policy.merge() != Merge.Standard.LAST) {
      words.add("merge " + policy.merge().text());
    }
    return String.join(", ", words);
  }

  static String fork(Merge merge) {
    return merge == Merge.Standard.LAST ? "all" : "all, merge " + merge.text();
  }

  static String choice(Term.Choice choice) {
    return choice.otherwise() ? "else" : choice.guard() == null ? "" : choice.guard().text();
  }

  static String loop(LoopPolicy policy) {
    return switch (policy) {
      case LoopPolicy.While(var guard) -> "while " + guard.text();
      case LoopPolicy.Until(var guard) -> "until " + guard.text();
      case LoopPolicy.Count(var count) -> "repeat " + count.text() + "×";
    };
  }

  static String event(Alternative alternative) {
    return switch (alternative) {
      case Alternative.Take(var places, var external, var then) -> String.join(" & ", places);
      case Alternative.Test(var places, var then) -> "test " + String.join(" & ", places);
      case Alternative.After(var duration, var then) -> "after " + duration(duration);
      case Alternative.Expired(var then) -> "expired";
    };
  }

  static String kill(Term.Kill kill) {
    return switch (kill.outcome()) {
      case WITHDRAW -> "kill";
      case COMPLETE -> "complete";
      case BREAK -> "break";
    };
  }

  static List<String> scope(Term.Cancel scope) {
    List<String> badges = new ArrayList<>();
    if (scope.options().marking() != null) {
      badges.add("marks " + scope.options().marking());
    }
    if (!scope.holding().isEmpty()) {
      badges.add("holding " + String.join(", ", scope.holding()));
    }
    Duration timeout = scope.options().timeout();
    if (timeout != null) {
      badges.add("timeout " + duration(timeout));
    }
    if (scope.options().undo()) {
      badges.add("undo");
    }
    List<String> allow = scope.options().allow();
    if (allow != null) {
      badges.add("allow " + (allow.isEmpty() ? "nothing" : String.join(", ", allow)));
    }
    return badges;
  }

  static List<String> instances(InstancePolicy policy) {
    List<String> badges = new ArrayList<>();
    badges.add("count " + policy.count().text());
    if (policy.max() != Integer.MAX_VALUE) {
      badges.add(policy.min() + " to " + policy.max());
    } else if (policy.min() > 0) {
      badges.add("at least " + policy.min());
    }
    switch (policy.need()) {
      case InstancePolicy.Need.All() -> badges.add("need all");
      case InstancePolicy.Need.Count(var count) -> badges.add("need " + count.text());
      case InstancePolicy.Need.When(var condition) -> badges.add("until " + condition.text());
    }
    if (policy.rest() == Rest.CANCEL) {
      badges.add("cancel rest");
    }
    if (policy.isOpen()) {
      boolean lasts = policy.open() == InstancePolicy.Open.UNTIL_CLOSED;
      badges.add(lasts ? "open until closed" : "open");
    }
    if (policy.collect() != null) {
      badges.add("collect " + policy.collect());
    }
    return badges;
  }

  /// The lines below the name of a task: how it is attempted, and its key and result.
  static List<String> options(TaskOptions options) {
    List<String> attempts = new ArrayList<>();
    Retry retry = options.retry();
    if (retry.max() > 1) {
      String unsent = retry.on() == Retry.On.NOT_SENT ? " if not sent" : "";
      attempts.add("up to " + retry.max() + " tries" + unsent);
    }
    if (!retry.except().isEmpty()) {
      attempts.add("not after " + String.join(", ", retry.except()));
    }
    Duration timeout = options.timeout();
    if (timeout != null) {
      attempts.add("timeout " + duration(timeout));
    }
    if (options.onExhausted() == OnExhausted.PARK) {
      attempts.add("parks");
    }
    switch (options.delivery()) {
      case KEYED -> {}
      case AT_MOST_ONCE -> attempts.add("at most once");
      case READ -> attempts.add("read");
      case EXACTLY_ONCE -> attempts.add("exactly once");
    }
    List<String> data = new ArrayList<>();
    if (options.key() != null) {
      data.add("key " + options.key().text());
    }
    if (options.result() != null) {
      data.add("result " + options.result());
    }
    return Stream.of(attempts, data)
        .filter(words -> !words.isEmpty())
        .map(words -> String.join(" · ", words))
        .toList();
  }

  /// When cases start by themselves; policies that are the default are left out.
  static String schedule(Schedule schedule) {
    List<String> words = new ArrayList<>();
    words.add(
        switch (schedule.timing()) {
          case Cron cron -> "cron " + cron.expression() + " in " + cron.zone().getId();
          case Timing.Every(var interval) -> "every " + duration(interval);
        });
    if (schedule.overlap() != Schedule.Overlap.SKIP) {
      words.add("overlap " + schedule.overlap().word());
    }
    switch (schedule.catchUp()) {
      case CatchUp.None() -> words.add("no catch-up");
      case CatchUp.Last() -> {}
      case CatchUp.Within(var age) -> words.add("catch up within " + duration(age));
    }
    return String.join(", ", words);
  }

  /// The name of an attribute, and its expression unless that is its name or written in Java.
  static String attribute(Attribute attribute) {
    String text = attribute.value().text();
    return text.equals("java") || text.equals(attribute.name())
        ? attribute.name()
        : attribute.name() + " = " + text;
  }

  static String place(Place place) {
    List<String> words = new ArrayList<>();
    if (place.external()) {
      words.add("from outside");
    }
    if (place.lifetime() == Place.Lifetime.TRANSIENT) {
      words.add("transient");
    }
    if (place.init() > 0) {
      words.add(place.init() == 1 ? "1 token" : place.init() + " tokens");
    }
    return words.isEmpty() ? place.name() : place.name() + " (" + String.join(", ", words) + ")";
  }

  static String duration(Duration duration) {
    if (duration.isZero()) {
      return "0s";
    }
    StringBuilder text = new StringBuilder();
    unit(text, duration.toDays(), "d");
    unit(text, duration.toHoursPart(), "h");
    unit(text, duration.toMinutesPart(), "min");
    unit(text, duration.toSecondsPart(), "s");
    unit(text, duration.toMillisPart(), "ms");
    unit(text, duration.toNanosPart() % 1_000_000, "ns");
    return text.toString();
  }

  private static void unit(StringBuilder text, long amount, String name) {
    if (amount > 0) {
      text.append(text.isEmpty() ? "" : " ").append(amount).append(name);
    }
  }
}
