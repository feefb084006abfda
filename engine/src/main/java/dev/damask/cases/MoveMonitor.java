package dev.damask.cases;

import dev.damask.intake.JfrEvents;
import dev.damask.ops.SlowMove;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Notices moves that take longer than the budget. A shard notes what it does; one thread of the
/// engine looks at all shards a few times per budget and reports each such move once.
final class MoveMonitor {
  private static final int LOOKS_PER_BUDGET = 4;
  private static final int FRAMES_MAX = 12;

  /// The part of one shard.
  static final class Watched {
    final ShardActivity activity;
    private ShardActivity.@Nullable Activity reported; // belongs to the monitor

    Watched(ShardActivity activity) {
      this.activity = activity;
    }
  }

  private final EngineOptions options;
  private final Counters counters;

  MoveMonitor(EngineOptions options, Counters counters) {
    this.options = options;
    this.counters = counters;
  }

  /// Looks until the engine is closed.
  void run(List<Watched> shards, CountDownLatch closed) throws InterruptedException {
    long pause = Math.max(1_000_000, options.moveBudget().toNanos() / LOOKS_PER_BUDGET);
    while (!closed.await(pause, TimeUnit.NANOSECONDS)) {
      shards.forEach(this::look);
    }
  }

  private void look(Watched shard) {
    ShardActivity.Activity activity = shard.activity.now();
    if (activity == null || activity.live() == null || activity == shard.reported) {
      return;
    }
    long nanos = System.nanoTime() - activity.sinceNanos();
    if (nanos < options.moveBudget().toNanos()) {
      return;
    }
    shard.reported = activity;
    counters.slowMoves.increment();
    List<String> stack =
        Arrays.stream(activity.thread().getStackTrace())
            .limit(FRAMES_MAX)
            .map(StackTraceElement::toString)
            .toList();
    LiveCase live = activity.live();
    SlowMove move =
        new SlowMove(
            live.id, live.workflow, live.machine.lastTask(), Duration.ofNanos(nanos), stack);
    JfrEvents.SlowMove.report(move);
    System.Logger log = System.getLogger(Engine.class.getName());
    log.log(
        System.Logger.Level.WARNING,
        "{0}; the budget of a move is {1} ms: declare the task slow, or make it an effect; at {2}",
        move,
        options.moveBudget().toMillis(),
        stack);
    try {
      options.slowMoves().accept(move);
    } catch (RuntimeException | Error e) { // the user's listener; the monitor goes on
      log.log(System.Logger.Level.WARNING, "a listener of slow moves failed", e);
    }
  }
}
