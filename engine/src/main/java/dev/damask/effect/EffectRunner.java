package dev.damask.effect;

import dev.damask.effect.CallsInFlight.Job;
import dev.damask.nursery.CancelReason;
import dev.damask.nursery.Child;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.nursery.NurseryResult;
import dev.damask.nursery.Spawn;
import dev.damask.task.EffectId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Calls handlers, each on a virtual thread in one nursery, with a bound of calls in flight per
/// type. It only performs and reports: attempts, delays and time-outs are the machine's business.
///
/// Two effects with one user's key run once. The first holds the key until its receipt is durable;
/// those that come meanwhile wait without a thread and get its result. If the first fails or is
/// withdrawn, the next in line performs the effect itself, with the same key.
public final class EffectRunner implements Effects {
  /// Finds what an earlier effect with this type and key gave; null when there is none.
  @FunctionalInterface
  public interface Finished {
    EffectResult.@Nullable Same find(String type, String key);
  }

  private final Nursery nursery;
  private final CallsInFlight inFlight;
  private final Finished finished;
  private final Sink sink;
  private final LongAdder calls = new LongAdder();

  /// @param limits how many calls of a type may be in flight
  public EffectRunner(Duration grace, ToIntFunction<String> limits, Finished finished, Sink sink) {
    this.nursery = Nursery.open(NurseryOptions.named("effects").withGrace(grace));
    this.inFlight = new CallsInFlight(limits);
    this.finished = finished;
    this.sink = sink;
  }

  @Override
  public void start(EffectCall call, EffectHandler handler, boolean userKey) {
    spawn(inFlight.add(new Job(call, handler, userKey)));
  }

  @Override
  public void withdraw(String caseId, EffectId id) {
    CallsInFlight.Withdrawn withdrawn = inFlight.withdraw(caseId, id);
    spawn(withdrawn.next());
    if (withdrawn.begun() != null && withdrawn.child() != null) {
      interrupt(withdrawn.begun(), withdrawn.child());
    }
  }

  private void interrupt(Job job, Child<?> child) {
    if (child.cancel(CancelReason.explicit("the task was withdrawn"))) {
      // In a thread of its own: whoever withdraws must not wait for the other side.
      nursery.<@Nullable Void>trySpawn(
          ChildOptions.named("cancel " + job.call.type()),
          _ -> {
            tellCancelled(job);
            return null;
          });
    }
  }

  @Override
  public void settled(String caseId, EffectId id, String type, String key) {
    spawn(inFlight.settle(caseId, id, type, key));
  }

  @Override
  public long calls() {
    return calls.sum();
  }

  @Override
  public int open() {
    return inFlight.size();
  }

  @Override
  public void close(Duration grace) {
    inFlight.close();
    try {
      if (nursery.awaitAll(grace) instanceof NurseryResult.Pending) {
        nursery.cancel("the engine closes");
      }
    } catch (InterruptedException e) {
      nursery.cancel("the engine closes");
      Thread.currentThread().interrupt();
    }
    nursery.close();
  }

  private void spawn(List<Job> admitted) {
    for (Job job : admitted) {
      Spawn<@Nullable Void> spawned =
          nursery.<@Nullable Void>trySpawn(
              ChildOptions.named(job.call.type()),
              _ -> {
                perform(job);
                return null;
              });
      // Refused only while closing: the intent is durable, so the next engine makes the call.
      if (spawned instanceof Spawn.Spawned<@Nullable Void> started
          && inFlight.isTooLate(job, started.child())) {
        interrupt(job, started.child());
      }
    }
  }

  private void perform(Job job) {
    if (!inFlight.begin(job)) {
      return;
    }
    EffectResult result;
    try {
      result = job.userKey ? finished.find(job.call.type(), job.call.key()) : null;
      if (result == null) {
        calls.increment();
        EffectFlight flight = new EffectFlight();
        flight.begin();
        result = EffectResult.of(job.call, job.handler);
        flight.end(job.call, result);
      }
    } catch (RuntimeException e) {
      result = new EffectResult.Failed("exception", e.toString());
    }
    // Without a receipt of ours that carries the key, the next in its line may try.
    spawn(inFlight.end(job, result instanceof EffectResult.Ok));
    if (!(result instanceof EffectResult.Interrupted)) {
      sink.report(job.call, result);
    }
  }

  private static void tellCancelled(Job job) {
    try {
      job.handler.cancel(job.call);
    } catch (RuntimeException e) {
      System.getLogger(EffectRunner.class.getName())
          .log(System.Logger.Level.WARNING, "cancelling " + job.call + " failed", e);
    }
  }
}
