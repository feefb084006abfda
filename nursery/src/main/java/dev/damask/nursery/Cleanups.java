package dev.damask.nursery;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What is to be done when a child or a nursery ends, last in first out (N4).
///
/// A nursery that a child opened stands in the same row as its cleanups, so that what was set up
/// before it is taken down after it.
final class Cleanups {

  // all under the lock of this object; null until there is one, to keep a child small
  private @Nullable ArrayDeque<Cleanup> actions;
  private boolean isOver;

  /// Adds one on top; refused once all have run.
  synchronized void add(String who, Cleanup action) {
    if (isOver) {
      throw new IllegalStateException("expected " + who + " to be running, found it has ended");
    }
    if (actions == null) {
      actions = new ArrayDeque<>(2);
    }
    actions.addLast(action);
  }

  /// Takes one back that is no longer needed.
  synchronized void remove(Cleanup action) {
    if (actions != null) {
      actions.removeLastOccurrence(action);
    }
  }

  /// Runs them all, those included that are added meanwhile, and hands over what they throw.
  void runAll(Consumer<Throwable> failed) {
    boolean wasInterrupted = false;
    for (Cleanup action = next(); action != null; action = next()) {
      // Held off, not swallowed: the thread may be that of somebody who closes an empty nursery.
      wasInterrupted |= Thread.interrupted();
      try {
        action.run();
      } catch (Throwable thrown) {
        failed.accept(thrown);
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// The nurseries among them, in the order they were opened.
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
