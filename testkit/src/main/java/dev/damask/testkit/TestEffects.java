package dev.damask.testkit;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectResult;
import dev.damask.effect.EffectRunner;
import dev.damask.effect.Effects;
import dev.damask.store.CaseRecord;
import dev.damask.task.EffectId;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.function.Supplier;

/// Calls the outside of a test and brings back its answers, in virtual time and in one thread. It
/// dies with the engine: what it had not brought back is lost.
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

  private final Outside outside;
  private final VirtualClock clock;
  private final EffectRunner.Finished finished;
  private final Sink sink;
  private final PriorityQueue<Pending> pending = new PriorityQueue<>();
  private long calls;

  TestEffects(Outside outside, VirtualClock clock, EffectRunner.Finished finished, Sink sink) {
    this.outside = outside;
    this.clock = clock;
    this.finished = finished;
    this.sink = sink;
  }

  @Override
  public void start(EffectCall call, EffectHandler handler, boolean userKey) {
    calls++;
    long at = clock.time();
    EffectResult known = userKey ? finished.find(call.type(), call.key()) : null;
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

  /// Brings back the next answer that is due; false when there is none.
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
      case Answer.Failing(var reason) -> new EffectResult.Failed(reason, "as the test says");
      case Answer.Performed(var handler) -> EffectResult.of(call, handler);
      case Answer.Never(), Answer.Delayed(_, _) -> new EffectResult.Interrupted();
    };
  }

  /// When the next answer comes; [CaseRecord#NEVER] when none does.
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
    // Nobody waits in line for a key: whatever is called is called at once.
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
  public void close(Duration grace) {
    pending.clear();
  }
}
