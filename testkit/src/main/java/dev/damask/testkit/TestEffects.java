package dev.damask.testkit;

import dev.damask.clock.VirtualClock;
import dev.damask.effect.Computation;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectResult;
import dev.damask.effect.EffectRunner;
import dev.damask.effect.Effects;
import dev.damask.store.CaseRecord;
import dev.damask.task.EffectId;
import dev.damask.task.TaskFunction;
import java.time.Duration;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Supplier;

/// Calls the external services of a test and delivers their answers, in virtual time and on one
/// thread. Answers that are not delivered when the engine crashes are lost.
final class TestEffects implements Effects {
  private record Pending(
      long atMillis,
      long number,
      EffectCall call,
      EffectHandler handler,
      Supplier<EffectResult> result)
      implements Comparable<Pending> {
    @Override
    public int compareTo(Pending other) {
      int byTime = Long.compare(atMillis, other.atMillis);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final FakeServices outside;
  private final VirtualClock clock;
  private final EffectRunner.Finished finished;
  private final Sink sink;
  private final PriorityQueue<Pending> pending = new PriorityQueue<>();
  private long calls;

  TestEffects(FakeServices outside, VirtualClock clock, EffectRunner.Finished finished, Sink sink) {
    this.outside = outside;
    this.clock = clock;
    this.finished = finished;
    this.sink = sink;
  }

  @Override
  public void start(EffectCall call, EffectHandler handler, boolean userKey) {
    calls++;
    long at = clock.time();
    EffectResult known = userKey ? finished.find(call) : null;
    if (known != null) {
      pending.add(new Pending(at, calls, call, handler, () -> known));
      return;
    }
    Answer answer = outside.answer(call, handler);
    while (answer instanceof Answer.Delayed(var time, var inner)) {
      at += time.toMillis();
      answer = inner;
    }
    Answer last = answer;
    if (!(last instanceof Answer.Never)) {
      pending.add(new Pending(at, calls, call, handler, () -> result(call, last)));
    }
  }

  @Override
  public void compute(EffectCall call, TaskFunction function) {
    calls++;
    pending.add(
        new Pending(clock.time(), calls, call, _ -> null, () -> Computation.run(call, function)));
  }

  /// Delivers the next answer that is due. Returns false if there is none.
  boolean deliver() {
    Pending next = pending.peek();
    if (next == null || next.atMillis > clock.time()) {
      return false;
    }
    pending.remove();
    sink.report(next.call, next.result.get());
    return true;
  }

  private static EffectResult result(EffectCall call, Answer answer) {
    return switch (answer) {
      case Answer.Result(var context) -> new EffectResult.Ok(context);
      case Answer.Failing(var reason) -> new EffectResult.Failed(reason, "scripted by the test");
      case Answer.Performed(var handler) -> EffectResult.of(call, handler);
      case Answer.Never(), Answer.Delayed(_, _) -> new EffectResult.Interrupted();
    };
  }

  /// Returns the time of the next answer, or [CaseRecord#NEVER] if there is none.
  long nextDue() {
    Pending next = pending.peek();
    return next == null ? CaseRecord.NEVER : next.atMillis;
  }

  @Override
  public void withdraw(String caseId, EffectId id) {
    pending.removeIf(each -> {
      boolean isMeant = each.call.caseId().equals(caseId) && each.call.id().equals(id);
      if (isMeant) {
        each.handler.cancel(each.call);
      }
      return isMeant;
    });
  }

  @Override
  public void settled(String caseId, EffectId id, String type, String key) {
    // Calls are never queued behind a key: every call is made immediately.
  }

  @Override
  public long calls() {
    return calls;
  }

  @Override
  public int open() {
    return pending.size();
  }

  @Override
  public List<String> close(Duration grace) {
    pending.clear();
    return List.of();
  }
}
