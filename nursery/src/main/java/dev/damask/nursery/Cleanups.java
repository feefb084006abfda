package dev.damask.nursery;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The cleanups of a child or a nursery. They run last in first out (N4).
///
/// A nursery that a child opened is in the same list as the child's cleanups, so that resources
/// acquired before it are released after it.
final class Cleanups {

  // all under the lock of this object; null until there is one, to keep a child small
  private @Nullable ArrayDeque<Cleanup> actions;
  private boolean isOver;

  /// Adds a cleanup. Throws `IllegalStateException` once all have run.
  synchronized void add(String who, Cleanup action) {
    if (isOver) {
      throw new IllegalStateException(who + " has ended; add cleanups while it runs");
    }
    if (actions == null) {
      actions = new ArrayDeque<>(2);
    }
    actions.addLast(action);
  }

  /// Removes a cleanup that is no longer needed.
  synchronized void remove(Cleanup action) {
    if (actions != null) {
      actions.removeLastOccurrence(action);
    }
  }

  /// Runs all cleanups, including those added meanwhile, and passes their exceptions to `failed`.
  void runAll(Consumer<Throwable> failed) {
    boolean wasInterrupted = false;
    for (Cleanup action = next(); action != null; action = next()) {
      // Deferred, not dropped: the thread may belong to a caller that closes an empty nursery.
      wasInterrupted |= Thread.interrupted();
      try {
        action.run();
      } catch (Throwable thrown) {
        record(failed, thrown);
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Records an error. The next cleanups run even if there is no memory to record it.
  private static void record(Consumer<Throwable> failed, Throwable thrown) {
    try {
      failed.accept(thrown);
    } catch (RuntimeException | Error e) {
      Errors.warn("the error of a cleanup could not be recorded", thrown);
    }
  }

  /// Returns the nurseries among the cleanups in the order they were opened.
  synchronized List<Nursery> nurseries() {
    var nurseries = new ArrayList<Nursery>();
    if (actions != null) {
      for (Cleanup action : actions) {
        if (action instanceof OwnedNursery owned) {
          nurseries.add(owned.nursery());
        }
      }
    }
    return nurseries;
  }

  private synchronized @Nullable Cleanup next() {
    Cleanup last = actions == null ? null : actions.pollLast();
    isOver = last == null;
    return last;
  }
}
