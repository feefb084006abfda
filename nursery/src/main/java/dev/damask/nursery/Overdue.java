package dev.damask.nursery;

import java.util.List;
import java.util.concurrent.Future;

/// Reports children that were told to stop and have not stopped when the grace period is over. They
/// are never given up: whoever waits for the nursery goes on waiting for them (N9).
final class Overdue {

  private static final System.Logger LOG = System.getLogger("dev.damask.nursery");

  private Overdue() {}

  /// Watches all children of a nursery that has just been cancelled.
  static Future<?> watch(Nursery nursery) {
    return Timers.after(
        nursery.options().grace(), () -> report(nursery, nursery.roster().children()));
  }

  /// Watches one child that has just been cancelled.
  static void watch(Nursery nursery, RunningChild<?> child) {
    var _ = Timers.after(nursery.options().grace(), () -> report(nursery, List.of(child)));
  }

  /// What a nursery does with a report if it is not told otherwise.
  static void log(ChildSnapshot child) {
    LOG.log(
        System.Logger.Level.WARNING,
        "child {0} was told to stop and still runs; it waits for: {1}",
        child.name(),
        child.waitsFor().isEmpty() ? "nothing" : child.waitsFor());
  }

  private static void report(Nursery nursery, List<RunningChild<?>> children) {
    for (RunningChild<?> child : children) {
      if (child.isCancelled() && child.markOverdue()) {
        ChildSnapshot snapshot = Snapshots.of(child, true);
        OverdueEvent.commit(snapshot, nursery);
        nursery.options().onOverdue().accept(snapshot);
      }
    }
  }
}
