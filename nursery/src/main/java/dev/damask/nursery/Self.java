package dev.damask.nursery;

/// A child of a nursery as its own code sees it. All methods except `isCancelled` and `name` must
/// be called on the child's thread.
public sealed interface Self permits RunningChild {

  /// Returns the child's name.
  String name();

  /// Returns whether the child was cancelled.
  boolean isCancelled();

  /// Throws `NurseryCancelled` if the child was cancelled. Never throws inside a cleanup.
  void checkCancelled();

  /// Calls `checkCancelled`, spends one operation and yields the thread. Waits if the budget is
  /// used up. Call it in loops that do not block.
  void yieldPoint() throws InterruptedException;

  /// Takes the cost from the budget, and waits for a recharge if the budget is used up. Throws
  /// `NurseryCancelled` if the child is cancelled meanwhile. A cleanup does not wait: it gets an
  /// `IllegalStateException` instead.
  void spend(Amounts cost) throws InterruptedException;

  /// Returns the budget that the child spends.
  Budget budget();

  /// Returns a token that is cancelled with this child, for code that does not use nurseries.
  CancelToken cancelToken();

  /// Adds a cleanup that runs when the child ends, for any result. Cleanups run last in first out.
  /// An exception from one is an error of the child.
  void deferred(Cleanup cleanup);

  /// Opens a nursery that this child owns. It is cancelled with the child, and the child does not
  /// end before it. If it is still open when the child's code returns, it is closed and awaited in
  /// order with the cleanups. If the code threw, it is cancelled first.
  Nursery open(NurseryOptions options);

  /// Opens a nursery with the default options that this child owns.
  default Nursery open(String name) {
    return open(NurseryOptions.named(name));
  }
}
