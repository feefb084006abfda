package dev.damask.check;

import dev.damask.check.Diagnostic.Severity;
import dev.damask.task.Guard;
import dev.damask.term.Alternative;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Term;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The part of the check that asks whether the flow can come by: terms behind one that never goes
/// on, branches that are never taken, loops without a way out, joins that can never be met.
///
/// It reports only what is certain for all data, so it misses what a search finds.
final class FlowCheck {
  /// How a term ends, as far as that is certain.
  private static final int GOES_ON = 0;

  /// It fails, is killed, or runs for ever.
  private static final int STOPS = 1;

  /// It ends the case.
  private static final int ENDS_CASE = 2;

  private final TermList outline;
  private final Consumer<Diagnostic> diagnostics;
  private final int[][] parts;
  private final int[] ends;

  /// Whether something in a term can fail or kill.
  private final boolean[] escapes;

  private boolean kills;

  private FlowCheck(TermList outline, Consumer<Diagnostic> diagnostics) {
    this.outline = outline;
    this.diagnostics = diagnostics;
    this.parts = outline.parts();
    this.ends = new int[outline.size()];
    this.escapes = new boolean[outline.size()];
  }

  static void check(TermList outline, Consumer<Diagnostic> diagnostics) {
    FlowCheck check = new FlowCheck(outline, diagnostics);
    for (int i = outline.size() - 1; i >= 0; i--) {
      check.ends[i] = check.end(i);
      check.escape(i);
    }
    for (int i = 0; i < outline.size(); i++) {
      check.inspect(i);
    }
  }

  private int end(int at) {
    return switch (outline.get(at).term()) {
      case Term.Task task -> isFailing(task) ? STOPS : GOES_ON;
      case Term.Seq seq -> first(parts[at]);
      case Term.Par par -> any(parts[at]);
      case Term.Xor xor -> all(parts[at]);
      case Term.Defer defer -> all(parts[at]);
      case Term.Loop(var policy, var body) -> loop(policy, ends[parts[at][0]]);
      case Term.Cancel cancel ->
          cancel.options().timeout() == null && ends[parts[at][0]] == ENDS_CASE
              ? ENDS_CASE
              : GOES_ON;
      case Term.Kill(var name, var outcome) ->
          name.equals("case") ? ENDS_CASE : outline.isInside(at, name) ? STOPS : GOES_ON;
      case Term.Join join -> GOES_ON;
      case Term.Mi mi -> GOES_ON;
      case Term.Emit emit -> GOES_ON;
      case Term.Call call -> GOES_ON;
      case Term.Graph graph -> GOES_ON;
      case Term.Processes processes -> GOES_ON;
    };
  }

  private void escape(int at) {
    TermList.Entry entry = outline.get(at);
    kills |= entry.term() instanceof Term.Kill;
    escapes[at] |=
        entry.term() instanceof Term.Kill
            || (entry.term() instanceof Term.Task task && isFailing(task));
    if (entry.around() >= 0) {
      escapes[entry.around()] |= escapes[at];
    }
  }

  static boolean isFailing(Term.Task task) {
    return task.name().isEmpty()
        && task.work() instanceof Term.Work.Pure(var function, var text)
        && text.startsWith("fail ");
  }

  private int first(int[] terms) {
    for (int term : terms) {
      if (ends[term] != GOES_ON) {
        return ends[term];
      }
    }
    return GOES_ON;
  }

  /// Which of several stops comes first is open, so only the weakest is certain.
  private int any(int[] terms) {
    int least = GOES_ON;
    for (int term : terms) {
      if (ends[term] != GOES_ON) {
        least = least == GOES_ON ? ends[term] : Math.min(least, ends[term]);
      }
    }
    return least;
  }

  private int all(int[] terms) {
    int least = ENDS_CASE;
    for (int term : terms) {
      least = Math.min(least, ends[term]);
    }
    return least;
  }

  private static int loop(LoopPolicy policy, int body) {
    return switch (policy) {
      case LoopPolicy.While(var guard) -> Constants.isTrue(guard) ? Math.max(STOPS, body) : GOES_ON;
      case LoopPolicy.Until(var guard) -> Constants.isFalse(guard) ? Math.max(STOPS, body) : body;
      case LoopPolicy.Count(var count) ->
          count.folded().parts().number().orElse(0) > 0 ? body : GOES_ON;
    };
  }

  private void inspect(int at) {
    switch (outline.get(at).term()) {
      case Term.Seq seq -> sequence(at);
      case Term.Xor(var choices) -> choices(at, choices);
      case Term.Defer(var alternatives) -> timers(at, alternatives);
      case Term.Loop(var policy, var body) -> loop(at, policy);
      case Term.Join(var policy, var branches) -> join(at, policy, branches);
      case Term.Mi(var name, var policy, var body) -> instances(at, policy);
      default -> {}
    }
  }

  private void sequence(int at) {
    for (int i = 0; i + 1 < parts[at].length; i++) {
      if (ends[parts[at][i]] != GOES_ON) {
        warn(
            "UNREACHABLE",
            parts[at][i + 1],
            "this term is never reached: the preceding term never continues",
            "remove it, or make the preceding term conditional");
        return;
      }
    }
  }

  private void choices(int at, List<Term.Choice> choices) {
    Set<String> asked = new HashSet<>();
    boolean taken = false;
    for (int i = 0; i < choices.size(); i++) {
      Guard guard = choices.get(i).guard();
      boolean again = guard != null && !guard.text().equals("java") && !asked.add(guard.text());
      if (taken || again || Constants.isFalse(guard)) {
        warn(
            "NEVER_TAKEN",
            parts[at][i],
            "this branch is never taken: "
                + why(guard, taken ? "an earlier branch always is" : "", again),
            "remove it, or change its condition");
      }
      taken |= Constants.isTrue(guard);
    }
  }

  private static String why(@Nullable Guard guard, String before, boolean again) {
    if (!before.isEmpty()) {
      return before;
    }
    return again && guard != null
        ? "an earlier branch has the same condition '" + guard.text() + "'"
        : "its condition is never true";
  }

  private void timers(int at, List<Alternative> alternatives) {
    Duration shortest = null;
    for (Alternative each : alternatives) {
      if (each instanceof Alternative.After(var duration, var then)
          && (shortest == null || duration.compareTo(shortest) < 0)) {
        shortest = duration;
      }
    }
    boolean found = false;
    for (int i = 0; i < alternatives.size(); i++) {
      if (alternatives.get(i) instanceof Alternative.After(var duration, var then)) {
        if (found || !duration.equals(shortest)) {
          String sentence = "this timer never fires: a shorter timer of the same wait fires first";
          warn("NEVER_TAKEN", parts[at][i], sentence, "remove it, or make it shorter");
        }
        found |= duration.equals(shortest);
      }
    }
  }

  private void loop(int at, LoopPolicy policy) {
    boolean never =
        switch (policy) {
          case LoopPolicy.While(var guard) -> Constants.isFalse(guard);
          case LoopPolicy.Until until -> false;
          case LoopPolicy.Count(var count) -> count.folded().parts().number().orElse(1) == 0;
        };
    boolean endless =
        switch (policy) {
          case LoopPolicy.While(var guard) -> Constants.isTrue(guard);
          case LoopPolicy.Until(var guard) -> Constants.isFalse(guard);
          case LoopPolicy.Count count -> false;
        };
    if (never) {
      warn("NEVER_TAKEN", parts[at][0], "the body of this loop never runs", "change its condition");
    }
    if (endless && !escapes[at] && !isKilled(at)) {
      String remedy = "add a condition that can change, or kill a scope around the loop";
      warn("ENDLESS_LOOP", at, "this loop never ends", remedy);
    }
  }

  /// Whether the loop is in something that ends it: a scope, a set, a branch that is cancelled.
  private boolean isKilled(int at) {
    int number = at;
    while (outline.get(number).around() >= 0) {
      number = outline.get(number).around();
      Term around = outline.get(number).term();
      if (around instanceof Term.Cancel
          || around instanceof Term.Mi
          || around instanceof Term.Join) {
        return true;
      }
    }
    return kills;
  }

  private void join(int at, JoinPolicy policy, List<Term.Choice> branches) {
    long possible = branches.stream().filter(each -> !Constants.isFalse(each.guard())).count();
    if (policy.need() instanceof JoinPolicy.Need.Count(var need)
        && policy.shortage() == JoinPolicy.Shortage.ABORT
        && need > possible) {
      warn(
          "JOIN_NEVER_MET",
          at,
          "the join needs " + need + " branches, but at most " + possible + " are ever started",
          "require fewer branches, or change the conditions");
    }
  }

  private void instances(int at, InstancePolicy policy) {
    var count = policy.count().folded().parts().instances();
    if (count.isEmpty()) {
      return;
    }
    long number = count.getAsLong();
    if (number < policy.min() || number > policy.max()) {
      warn(
          "BOUNDS_NEVER_MET",
          at,
          "there are always "
              + number
              + " instances, but the bounds allow "
              + (policy.max() == Integer.MAX_VALUE
                  ? "at least " + policy.min()
                  : policy.min() + " to " + policy.max()),
          "change the count or its bounds");
    } else if (policy.isOpen()) {
      return;
    } else if (number == 0) {
      warn("NEVER_TAKEN", parts[at][0], "the set never has an instance", "change the count");
    } else if (policy.need() instanceof InstancePolicy.Need.Count(var needed)
        && needed.folded().parts().number().orElse(0) > number) {
      warn(
          "JOIN_NEVER_MET",
          at,
          needed.text() + " instances must complete, but there are only " + number,
          "require fewer, or start more");
    }
  }

  private void warn(String code, int at, String sentence, String remedy) {
    diagnostics.accept(
        new Diagnostic(Severity.WARNING, code, outline.get(at).path(), sentence, remedy));
  }
}
