package dev.damask.intake;

import dev.damask.ops.SlowMove;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Reports moves that take longer than the budget. One thread of the engine reads the activities of
/// all shards a few times per budget and reports each such move once.
public final class MoveMonitor {
  private static final int LOOKS_PER_BUDGET = 4;
  private static final int FRAMES_MAX = 12;

  /// How many budgets a move may take before its first task: a new process loads classes in it.
  private static final int BUDGETS_WITHOUT_TASK = 10;

  private final Duration budget;
  private final Consumer<SlowMove> listener;
  private final Counters counters;

  /// The move of each shard that was reported last.
  private final Map<ShardActivity, ShardActivity.Activity> reported = new HashMap<>();

  /// Creates the monitor of an engine. `listener` may throw.
  public MoveMonitor(Duration budget, Consumer<SlowMove> listener, Counters counters) {
    this.budget = budget;
    this.listener = listener;
    this.counters = counters;
  }

  /// Watches the shards until the engine is closed.
  public void run(List<ShardActivity> shards, CountDownLatch closed) throws InterruptedException {
    long pause = Math.max(1_000_000, budget.toNanos() / LOOKS_PER_BUDGET);
    while (!closed.await(pause, TimeUnit.NANOSECONDS)) {
      shards.forEach(this::check);
    }
  }

  private void check(ShardActivity shard) {
    ShardActivity.Activity activity = shard.now();
    ShardActivity.Moved moved = activity == null ? null : activity.moved();
    if (activity == null || moved == null || activity == reported.get(shard)) {
      return;
    }
    long nanos = System.nanoTime() - activity.sinceNanos();
    String task = moved.machine().lastTask();
    if (nanos < budget.toNanos() * (task.isEmpty() ? BUDGETS_WITHOUT_TASK : 1)) {
      return;
    }
    reported.put(shard, activity);
    counters.slowMoves.increment();
    List<String> stack =
        Arrays.stream(activity.thread().getStackTrace())
            .limit(FRAMES_MAX)
            .map(StackTraceElement::toString)
            .toList();
    SlowMove move =
        new SlowMove(moved.caseId(), moved.workflow(), task, Duration.ofNanos(nanos), stack);
    JfrEvents.SlowMove.report(move);
    System.Logger log = System.getLogger(MoveMonitor.class.getName());
    log.log(
        System.Logger.Level.WARNING,
        "{0}; the budget of a move is {1} ms: declare the task slow, or make it an effect; at {2}",
        move,
        budget.toMillis(),
        stack);
    try {
      listener.accept(move);
    } catch (RuntimeException | Error e) { // the user's listener; the monitor continues
      log.log(System.Logger.Level.WARNING, "a listener of slow moves failed", e);
    }
  }
}
