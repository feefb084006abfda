package dev.damask.intake;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/// The calls that a node must not begin now, because another node may soon take over.
///
/// Thread-safe.
public final class PausedCalls {
  private final BooleanSupplier mayWork;
  private final List<Runnable> waiting = new ArrayList<>(); // guarded by this
  private volatile boolean isDropped; // written under this, read by every thread

  /// @param mayWork whether the node may call effects
  public PausedCalls(BooleanSupplier mayWork) {
    this.mayWork = mayWork;
  }

  /// Begins a call now, or when the node may; never if the node was fenced: the next owner calls.
  public void call(Runnable start) {
    synchronized (this) {
      if (isDropped) {
        return;
      }
      if (!mayWork.getAsBoolean()) {
        waiting.add(start);
        return;
      }
    }
    start.run();
  }

  /// The node may work again.
  public void resume() {
    List<Runnable> resumed;
    synchronized (this) {
      resumed = List.copyOf(waiting);
      waiting.clear();
    }
    resumed.forEach(this::call);
  }

  /// The node was fenced: no call begins until it owns slots again.
  public synchronized void drop() {
    isDropped = true;
    waiting.clear();
  }

  /// The node owns slots again.
  public synchronized void reopen() {
    isDropped = false;
  }

  /// Whether the node was fenced and owns no slots yet.
  public boolean isDropped() {
    return isDropped;
  }
}
