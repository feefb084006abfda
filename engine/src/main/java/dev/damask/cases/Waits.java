package dev.damask.cases;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectFailed;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.effect.WaitingEffect;
import dev.damask.exec.EffectRequest;
import dev.damask.store.CaseRecord;
import dev.damask.task.Context;
import dev.damask.task.EffectId;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The tasks of a case that only wait ([WaitingEffect]). When such a task's time is up stands in
/// the payload of its intent, under [#UNTIL], so it is as durable as the intent and people see it;
/// the earliest of them is a timer of the case like those of the machine.
final class Waits {
  /// Milliseconds since 1970.
  static final String UNTIL = "$until";

  private Waits() {}

  /// Begins the wait of an attempt, or goes on with it after a restart, which costs no commit.
  static void plan(
      LiveCase live, EffectRequest request, EffectIntent intent, WaitingEffect waiting) {
    Context payload = intent.with().without(UNTIL);
    EffectIntent planned = intent.forAttempt(request.attempt(), false);
    live.waits.remove(intent.id());
    if (request.notBefore().isPresent()) {
      live.plan(planned.withPayload(payload)); // its time begins with the attempt
      return;
    }
    boolean isKnown =
        live.intents.containsKey(intent.id()) && intent.attempt() == request.attempt();
    if (isKnown && intent.with().get(UNTIL) instanceof Long until) {
      live.waits.put(intent.id(), until);
      return;
    }
    try {
      Duration within = waiting.plan(payload).within().orElse(null);
      if (within != null) {
        long until = due(live, within);
        live.waits.put(intent.id(), until);
        live.plan(planned.withPayload(payload.with(UNTIL, until)));
      } else if (!isKnown) {
        live.plan(planned.withPayload(payload));
      }
    } catch (EffectFailed e) {
      live.plan(planned);
      live.queue.addFirst(
          new Request.GiveUp(
              live.id,
              intent.id(),
              e.reason(),
              new Receipt.Result.Refused(String.valueOf(e.getMessage()))));
    }
  }

  /// Never early: a part of a millisecond counts as a whole one.
  private static long due(LiveCase live, Duration within) {
    long millis = within.plusNanos(999_999).toMillis();
    return Math.max(0, live.state.clock()) + millis;
  }

  /// When the next timer of a case is due, its own and those of its machine.
  static OptionalLong nextDue(LiveCase live) {
    if (live.state.isDone()) {
      return OptionalLong.empty();
    }
    OptionalLong machine = live.state.nextDue();
    EffectId first = first(live);
    return first == null || machine.orElse(CaseRecord.NEVER) <= until(live, first)
        ? machine
        : OptionalLong.of(until(live, first));
  }

  /// Whether a task's time is up, and no timer of the machine was due before.
  static boolean areDue(LiveCase live, long now) {
    EffectId first = live.state.isDone() || live.isQuarantined ? null : first(live);
    return first != null
        && until(live, first) <= now
        && until(live, first) <= live.state.nextDue().orElse(CaseRecord.NEVER);
  }

  /// What happens to the task whose time is up. Its handler may have gone since: then it fails.
  static Request.Deed timeUp(LiveCase live, Map<String, EffectHandler> handlers) {
    EffectId first = first(live);
    EffectIntent intent = first == null ? null : live.intents.get(first);
    if (intent == null) {
      throw new IllegalStateException("case " + live.id + ": no task waits for a time");
    }
    return switch (then(intent, handlers.get(intent.type()))) {
      case WaitingEffect.TimeUp.Done(var result) ->
          report(live, intent, new EffectResult.Ok(result));
      case WaitingEffect.TimeUp.Failed(var reason, var detail) ->
          report(live, intent, new EffectResult.Failed(reason, detail));
      case WaitingEffect.TimeUp.Withdrawn() ->
          new Request.Answer(
              live.id, intent.id(), new Request.Verdict.Withdrawn(), new CompletableFuture<>());
    };
  }

  private static WaitingEffect.TimeUp then(EffectIntent intent, @Nullable EffectHandler handler) {
    try {
      return handler instanceof WaitingEffect waiting
          ? waiting.plan(intent.with().without(UNTIL)).then()
          : new WaitingEffect.TimeUp.Failed("effect", "nobody is registered for " + intent.type());
    } catch (EffectFailed e) {
      return new WaitingEffect.TimeUp.Failed(e.reason(), String.valueOf(e.getMessage()));
    }
  }

  private static Request.Deed report(LiveCase live, EffectIntent intent, EffectResult result) {
    return new Request.Report(
        new EffectCall(
            live.id,
            intent.id(),
            intent.task(),
            intent.type(),
            intent.key(),
            intent.attempt(),
            intent.delivery(),
            intent.with(),
            Context.empty()),
        result);
  }

  /// The task whose time is up first; of two the one that began first. Null when none waits.
  private static @Nullable EffectId first(LiveCase live) {
    live.waits.keySet().retainAll(live.intents.keySet());
    EffectId first = null;
    for (EffectId each : live.waits.keySet()) {
      if (first == null || until(live, each) < until(live, first)) {
        first = each;
      }
    }
    return first;
  }

  private static long until(LiveCase live, EffectId effect) {
    return live.waits.getOrDefault(effect, CaseRecord.NEVER);
  }
}
