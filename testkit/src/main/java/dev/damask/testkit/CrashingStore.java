package dev.damask.testkit;

import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/// A store that simulates the death of its process before or after chosen commits.
final class CrashingStore extends ForwardingStore {
  /// A crash point.
  ///
  /// @param commit the number of the commit, from one
  /// @param isAfter whether the commit is durable when the process dies
  record Point(int commit, boolean isAfter) {
    @Override
    public String toString() {
      return (isAfter ? "after" : "before") + " commit " + commit;
    }
  }

  /// Thrown to simulate the death of the process. It is an error, so that no code treats it as a
  /// failure.
  static final class Died extends Error {
    private static final long serialVersionUID = 1L;

    Died(Point point) {
      super(point.toString(), null, false, false);
    }
  }

  private final Predicate<Point> crashes;
  private int commits;

  CrashingStore(Store store, Predicate<Point> crashes) {
    super(store);
    this.crashes = crashes;
  }

  @Override
  public CompletableFuture<Void> commit(CommitBatch batch) {
    if (batch.cases().isEmpty() && batch.removals().isEmpty()) {
      return super.commit(batch); // programs, when an engine opens
    }
    commits++;
    dieAt(new Point(commits, false));
    CompletableFuture<Void> done = super.commit(batch);
    dieAt(new Point(commits, true));
    return done;
  }

  private void dieAt(Point point) {
    if (crashes.test(point)) {
      throw new Died(point);
    }
  }

  int commits() {
    return commits;
  }
}
