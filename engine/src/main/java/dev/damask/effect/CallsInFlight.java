package dev.damask.effect;

import dev.damask.nursery.Child;
import dev.damask.task.EffectId;
import dev.damask.task.TaskFunction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Who may be called now, who waits for room in the lane of a type, and who waits behind another
/// call with the same key. It only decides, under one lock and without calling other code: each
/// change gives the jobs that may run from now on, and whoever made the change starts them.
final class CallsInFlight {
  /// How far a job has come.
  private enum Stage {
    /// In the lane of its type or in the line of its key.
    WAITING,
    /// It may run; its thread has not come as far as the handler.
    ADMITTED,
    BEGUN
  }

  /// A call to make.
  static final class Job {
    final EffectCall call;
    final EffectHandler handler;
    final boolean userKey;

    /// What runs instead of the handler; null for an effect.
    final @Nullable TaskFunction function;

    /// Whether it runs on a platform thread.
    final boolean isCpuBound;

    private final Owner owner;

    // All guarded by the lock of the table.
    private Stage stage = Stage.WAITING;
    private boolean isWithdrawn;
    private @Nullable Child<?> first;
    private @Nullable Child<?> spare;
    private @Nullable Thread thread; // the one at the handler
    private long begunNanos;
    private boolean hasSpare;
    private boolean isSpareAtWork;

    private @Nullable Child<?> child() {
      return isSpareAtWork ? spare : first;
    }

    Job(EffectCall call, EffectHandler handler, boolean userKey) {
      this(call, handler, userKey, null);
    }

    Job(EffectCall call, TaskFunction function) {
      this(call, _ -> null, false, function);
    }

    private Job(
        EffectCall call, EffectHandler handler, boolean userKey, @Nullable TaskFunction function) {
      this.call = call;
      this.handler = handler;
      this.userKey = userKey;
      this.function = function;
      this.isCpuBound = isCpuBound(handler);
      this.owner = new Owner(call.caseId(), call.id());
    }
  }

  private static boolean isCpuBound(EffectHandler handler) {
    try {
      return handler.isCpuBound();
    } catch (RuntimeException | Error e) { // the user's code; the call itself will report it
      return false;
    }
  }

  /// What a withdrawal means for the thread of the job, and who may run instead.
  ///
  /// @param begun the job whose handler may be at work; null when there is none
  /// @param child its thread; null until it is known
  record Withdrawn(@Nullable Job begun, @Nullable Child<?> child, List<Job> next) {
    static final Withdrawn NOTHING = new Withdrawn(null, null, List.of());
  }

  private record Owner(String caseId, EffectId id) {}

  private record KeyName(String type, String key) {}

  /// The calls of one type.
  private static final class Lane {
    int running;
    final Deque<Job> waiting = new ArrayDeque<>();
  }

  private final ToIntFunction<String> limits;
  private final Map<Owner, Job> jobs = new HashMap<>();
  private final Set<Job> begun = new LinkedHashSet<>();
  private final Map<KeyName, Deque<Job>> keys = new HashMap<>();
  private final Map<String, Lane> lanes = new HashMap<>();

  /// @param limits how many calls of a type may be in flight
  CallsInFlight(ToIntFunction<String> limits) {
    this.limits = limits;
  }

  synchronized int size() {
    return jobs.size();
  }

  synchronized boolean has(String caseId, EffectId id) {
    return jobs.containsKey(new Owner(caseId, id));
  }

  /// The calls that run or wait and were not cancelled.
  synchronized List<EffectCall> calls() {
    List<EffectCall> calls = new ArrayList<>(jobs.size());
    jobs.values().forEach(job -> calls.add(job.call));
    return calls;
  }

  /// A thread makes a call of a type itself; false if as many run as may run at once.
  synchronized boolean tryEnter(String type) {
    Lane lane = lanes.computeIfAbsent(type, _ -> new Lane());
    boolean hasRoom = lane.running < limits.applyAsInt(type);
    lane.running += hasRoom ? 1 : 0;
    return hasRoom;
  }

  /// The call of a thread that has entered has ended.
  synchronized List<Job> leave(String type) {
    List<Job> next = new ArrayList<>(1);
    leaveLane(lanes.computeIfAbsent(type, _ -> new Lane()), next);
    return next;
  }

  /// A job comes.
  synchronized List<Job> add(Job job) {
    jobs.put(job.owner, job);
    if (job.userKey) {
      Deque<Job> line = keys.computeIfAbsent(keyOf(job), _ -> new ArrayDeque<>());
      Job first = line.peekFirst();
      if (first != null && !first.owner.equals(job.owner)) {
        line.addLast(job);
        return List.of();
      }
      line.pollFirst();
      line.addFirst(job);
    }
    List<Job> next = new ArrayList<>(1);
    admit(job, next);
    return next;
  }

  /// Its thread is at the handler; false when there is nothing to call any more, or when another
  /// thread of the job was there first.
  synchronized boolean begin(Job job, boolean isSpare) {
    if (job.isWithdrawn || job.stage == Stage.BEGUN) {
      return false;
    }
    job.stage = Stage.BEGUN;
    begun.add(job);
    job.isSpareAtWork = isSpare;
    job.thread = Thread.currentThread();
    job.begunNanos = System.nanoTime();
    return true;
  }

  /// Says which thread a job has; true when it was cancelled before that was known.
  synchronized boolean isTooLate(Job job, Child<?> child, boolean isSpare) {
    if (isSpare) {
      job.spare = child;
    } else {
      job.first = child;
    }
    return job.isWithdrawn && job.stage == Stage.BEGUN && job.isSpareAtWork == isSpare;
  }

  /// The jobs that may run and whose thread has not come as far as the handler. Each is returned
  /// once: the caller gives it a second thread, and the first to begin makes the call.
  synchronized List<Job> stalled() {
    List<Job> stalled = new ArrayList<>();
    for (Job job : jobs.values()) {
      if (job.stage == Stage.ADMITTED && !job.hasSpare) {
        job.hasSpare = true;
        stalled.add(job);
      }
    }
    return stalled;
  }

  /// A call whose thread is at the handler.
  record Running(Job job, Thread thread, long nanos) {
    @Override
    public String toString() {
      EffectCall call = job.call;
      return "%s of case %s, task %s, for %.1f s"
          .formatted(call.type(), call.caseId(), call.task(), nanos / 1e9);
    }
  }

  /// The calls at their handlers, also those that were cancelled.
  synchronized List<Running> running() {
    long now = System.nanoTime();
    List<Running> running = new ArrayList<>();
    for (Job job : begun) {
      if (job.thread != null) {
        running.add(new Running(job, job.thread, now - job.begunNanos));
      }
    }
    return running;
  }

  /// The result is no longer needed.
  synchronized Withdrawn withdraw(String caseId, EffectId id) {
    Job job = jobs.remove(new Owner(caseId, id));
    if (job == null) {
      return Withdrawn.NOTHING;
    }
    job.isWithdrawn = true;
    List<Job> next = new ArrayList<>(1);
    switch (job.stage) {
      case WAITING -> {
        lane(job).waiting.remove(job);
        leaveLine(job, next);
      }
      case ADMITTED -> {
        // Its thread finds it cancelled and leaves.
        leaveLine(job, next);
        leaveLane(job, next);
      }
      case BEGUN -> {
        return new Withdrawn(job, job.child(), next);
      }
    }
    return new Withdrawn(null, null, next);
  }

  /// What follows the end of a call.
  ///
  /// @param counts whether its result may be reported. A call with a user's key that was made again
  ///   has given the key to the newer call, and another effect may have used it since.
  record Ended(boolean counts, List<Job> next) {}

  /// A call has come back.
  ///
  /// @param keepsKey whether a receipt of it will carry the key, unless it was cancelled
  synchronized Ended end(Job job, boolean keepsKey) {
    List<Job> next = new ArrayList<>(1);
    jobs.remove(job.owner, job);
    begun.remove(job);
    boolean counts = !job.userKey || holdsKey(job);
    if (!keepsKey || job.isWithdrawn) {
      leaveLine(job, next);
    }
    leaveLane(job, next);
    return new Ended(counts, next);
  }

  private boolean holdsKey(Job job) {
    Deque<Job> line = keys.get(keyOf(job));
    return line != null && line.peekFirst() == job;
  }

  /// The receipt that carries a key is durable: who comes now finds it there.
  synchronized List<Job> settle(String caseId, EffectId id, String type, String key) {
    Deque<Job> line = keys.get(new KeyName(type, key));
    Job first = line == null ? null : line.peekFirst();
    List<Job> next = new ArrayList<>(1);
    if (first != null && first.owner.equals(new Owner(caseId, id))) {
      leaveLine(first, next);
    }
    return next;
  }

  /// Admits no further calls that wait for a lane.
  synchronized void close() {
    lanes.values().forEach(lane -> lane.waiting.clear());
  }

  private static KeyName keyOf(Job job) {
    return new KeyName(job.call.type(), job.call.key());
  }

  private Lane lane(Job job) {
    return lanes.computeIfAbsent(job.call.type(), _ -> new Lane());
  }

  private void admit(Job job, List<Job> next) {
    Lane lane = lane(job);
    if (lane.running >= limits.applyAsInt(job.call.type())) {
      lane.waiting.addLast(job);
      return;
    }
    lane.running++;
    job.stage = Stage.ADMITTED;
    next.add(job);
  }

  /// Makes room for the next call of the type.
  private void leaveLane(Job job, List<Job> next) {
    leaveLane(lane(job), next);
  }

  private void leaveLane(Lane lane, List<Job> next) {
    lane.running--;
    Job first = lane.waiting.pollFirst();
    if (first != null) {
      admit(first, next);
    }
  }

  private void leaveLine(Job job, List<Job> next) {
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
      admit(line.getFirst(), next);
    }
  }
}
