package dev.damask.intake;

import dev.damask.effect.Effects;
import dev.damask.store.Store;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// When a new case may start.
public final class Admission {
  private Admission() {}

  /// Throws `IllegalStateException` while the disk is nearly full. New cases wait, or are refused,
  /// while too many effects do: whatever is started now could only join their queue.
  public static void await(
      Store store, Effects effects, int openMax, boolean refuses, BooleanSupplier isClosed) {
    if (!store.hasRoom()) {
      throw new IllegalStateException(
          "the disk of the store is nearly full: free some space and try again; running cases"
              + " continue");
    }
    while (effects.open() >= openMax && !isClosed.getAsBoolean()) {
      if (refuses) {
        throw new IllegalStateException(
            "the engine is busy: %d effects run or wait; try again, nothing was changed"
                .formatted(effects.open()));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }
}
