package dev.damask.nursery;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// Reports cancelled children that have not stopped when the grace period is over. Callers that
/// wait for the nursery continue to wait for them (N9).
final class GracePeriodMonitor {

  /// The maximum number of children that a log line names.
  static final int NAMES_MAX = 10;

  /// The default listener. It logs one line for all children.
  static final Consumer<ChildSnapshot> LOG_LISTENER = child -> log("", List.of(child));

  private static final System.Logger LOG = System.getLogger("dev.damask.nursery");

  private GracePeriodMonitor() {}

  /// Watches all children of a nursery that has just been cancelled.
  static Future<?> watch(Nursery nursery) {
    return Deadlines.after(
        nursery.options().grace(),
        () ->
            Callbacks.start(
                "nursery-report", List.of(() -> report(nursery, nursery.roster().children()))));
  }

  /// Watches one child that has just been cancelled.
  static Future<?> watch(Nursery nursery, RunningChild<?> child) {
    return Deadlines.after(
        nursery.options().grace(),
        () -> Callbacks.start("nursery-report", List.of(() -> report(nursery, List.of(child)))));
  }

  private static void report(Nursery nursery, List<RunningChild<?>> children) {
    var overdue = new ArrayList<ChildSnapshot>();
    for (RunningChild<?> child : children) {
      if (child.isCancelled() && child.markOverdue()) {
        overdue.add(Snapshots.of(child, overdue.size() < Snapshots.PLACES_MAX));
      }
    }
    if (overdue.isEmpty()) {
      return;
    }
    overdue.forEach(child -> FlightEvents.OverdueEvent.commit(child, nursery));
    Consumer<? super ChildSnapshot> listener = nursery.options().onOverdue();
    if (listener == LOG_LISTENER) {
      log(nursery.options().name(), overdue);
    } else {
      Callbacks.run(
          overdue.stream().map(child -> (Runnable) () -> listener.accept(child)).toList());
    }
  }

  /// Logs one line for all overdue children.
  private static void log(String nursery, List<ChildSnapshot> overdue) {
    String names =
        overdue.stream()
            .limit(NAMES_MAX)
            .map(child ->
                child.waitsFor().isEmpty()
                    ? child.name()
                    : child.name() + " (waits for " + child.waitsFor() + ")")
            .collect(Collectors.joining(", "));
    LOG.log(
        System.Logger.Level.WARNING,
        "nursery "
            + nursery
            + ": cancelled children that still run after the grace period: "
            + overdue.size()
            + "; "
            + names
            + (overdue.size() > NAMES_MAX ? ", ..." : ""));
  }
}
