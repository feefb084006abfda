package dev.damask.effect;

import dev.damask.nursery.CancelReason;
import dev.damask.nursery.Child;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.nursery.NurseryResult;
import dev.damask.nursery.Spawn;
import dev.damask.task.EffectId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
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

  /// A call to make. The handler has not been called yet and may never be.
  private static final class Job {
    final EffectCall call;
    final EffectHandler handler;
    final boolean userKey;
    boolean withdrawn; // guarded by the lock of the runner
    boolean begun; // whether its thread has come as far as the handler; guarded likewise
    @Nullable Child<?> child; // null before it runs; guarded by the lock of the runner

    Job(EffectCall call, EffectHandler handler, boolean userKey) {
      this.call = call;
      this.handler = handler;
      this.userKey = userKey;
    }
  }

  private record Owner(String caseId, EffectId id) {}

  private record KeyName(String type, String key) {}

  private final Object lock = new Object();
  private final Nursery nursery;
  private final ToIntFunction<String> limits;
  private final Finished finished;
  private final Sink sink;
  private final LongAdder calls = new LongAdder();
  // All three are guarded by the lock.
  private final Map<Owner, Job> jobs = new HashMap<>();
  private final Map<KeyName, Deque<Job>> keys = new HashMap<>();
  private final Map<String, Lane> lanes = new HashMap<>();

  /// The calls of one type.
  private static final class Lane {
    int running;
    final Deque<Job> waiting = new ArrayDeque<>();
  }

  /// @param limits how many calls of a type may be in flight
  public EffectRunner(Duration grace, ToIntFunction<String> limits, Finished finished, Sink sink) {
    this.nursery = Nursery.open(NurseryOptions.named("effects").withGrace(grace));
    this.limits = limits;
    this.finished = finished;
    this.sink = sink;
  }

  @Override
  public void start(EffectCall call, EffectHandler handler, boolean userKey) {
    Job job = new Job(call, handler, userKey);
    synchronized (lock) {
      jobs.put(new Owner(call.caseId(), call.id()), job);
      if (userKey) {
        Deque<Job> line = keys.computeIfAbsent(keyOf(job), _ -> new ArrayDeque<>());
        Job first = line.peekFirst();
        if (first != null && !isSameEffect(first, job)) {
          line.addLast(job);
          return;
        }
        line.pollFirst();
        line.addFirst(job);
      }
      admit(job);
    }
  }

  @Override
  public void withdraw(String caseId, EffectId id) {
    Job job;
    Child<?> child;
    synchronized (lock) {
      job = jobs.remove(new Owner(caseId, id));
      if (job == null) {
        return;
      }
      job.withdrawn = true;
      child = job.begun ? job.child : null;
      if (job.child == null) {
        lane(job).waiting.remove(job);
        leaveLine(job);
      } else if (!job.begun) {
        // Its thread finds it withdrawn and leaves, or is cancelled before it runs at all.
        job.child.cancel(CancelReason.explicit("the task was withdrawn"));
        leaveLine(job);
        leaveLane(job);
      }
    }
    if (child != null && child.cancel(CancelReason.explicit("the task was withdrawn"))) {
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
    synchronized (lock) {
      Deque<Job> line = keys.get(new KeyName(type, key));
      Job first = line == null ? null : line.peekFirst();
      if (first != null && first.call.caseId().equals(caseId) && first.call.id().equals(id)) {
        leaveLine(first);
      }
    }
  }

  @Override
  public long calls() {
    return calls.sum();
  }

  @Override
  public int open() {
    synchronized (lock) {
      return jobs.size();
    }
  }

  @Override
  public void close(Duration grace) {
    synchronized (lock) {
      lanes.values().forEach(lane -> lane.waiting.clear());
    }
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

  private static KeyName keyOf(Job job) {
    return new KeyName(job.call.type(), job.call.key());
  }

  private static boolean isSameEffect(Job one, Job other) {
    return one.call.caseId().equals(other.call.caseId()) && one.call.id().equals(other.call.id());
  }

  private Lane lane(Job job) {
    return lanes.computeIfAbsent(job.call.type(), _ -> new Lane());
  }

  private void admit(Job job) {
    Lane lane = lane(job);
    if (lane.running >= limits.applyAsInt(job.call.type())) {
      lane.waiting.addLast(job);
      return;
    }
    spawn(lane, job);
  }

  private void spawn(Lane lane, Job job) {
    Spawn<@Nullable Void> spawned =
        nursery.<@Nullable Void>trySpawn(
            ChildOptions.named(job.call.type()),
            _ -> {
              perform(job);
              return null;
            });
    if (spawned instanceof Spawn.Spawned<@Nullable Void> started) {
      lane.running++;
      job.child = started.child();
    }
    // Refused only while closing: the intent is durable, so the next engine makes the call.
  }

  private void perform(Job job) {
    synchronized (lock) {
      if (job.withdrawn) {
        return;
      }
      job.begun = true;
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
    boolean isInterrupted = result instanceof EffectResult.Interrupted;
    synchronized (lock) {
      jobs.remove(new Owner(job.call.caseId(), job.call.id()), job);
      if (job.userKey && !(result instanceof EffectResult.Ok && !job.withdrawn)) {
        // No receipt of ours will carry the key: the next in line may try.
        leaveLine(job);
      }
      leaveLane(job);
    }
    if (!isInterrupted) {
      sink.report(job.call, result);
    }
  }

  /// Makes room for the next call of the type.
  private void leaveLane(Job job) {
    Lane lane = lane(job);
    lane.running--;
    Job next = lane.waiting.pollFirst();
    if (next != null) {
      spawn(lane, next);
    }
  }

  private void leaveLine(Job job) {
    if (!job.userKey) {
      return;
    }
    KeyName name = keyOf(job);
    Deque<Job> line = keys.get(name);
    if (line == null) {
      return;
    }
    boolean wasFirst = line.peekFirst() == job;
    line.remove(job);
    if (line.isEmpty()) {
      keys.remove(name);
    } else if (wasFirst) {
      admit(line.getFirst());
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
