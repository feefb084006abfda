package dev.damask.nursery;

/// A child of a nursery, seen by its own code. Only the child's thread may call these methods, but
/// for `isCancelled` and `name`.
public sealed interface Self permits RunningChild {

  /// The name it was given.
  String name();

  /// Whether it was told to stop.
  boolean isCancelled();

  /// Throws `NurseryCancelled` if it was told to stop. Inside a cleanup it never throws.
  void checkCancelled();

  /// `checkCancelled`, then spends one operation, waiting for it if the budget is used up, then
  /// lets other children run. For loops that do not block.
  void yieldPoint() throws InterruptedException;

  /// Takes from the budget; waits until it is recharged if it is used up. Throws `NurseryCancelled`
  /// when the child is told to stop meanwhile. A cleanup does not wait: it gets an
  /// `IllegalStateException` instead.
  void spend(Amounts cost) throws InterruptedException;

  /// What it may spend.
  Budget budget();

  /// A token that is cancelled with this child, for code that knows nothing of nurseries.
  CancelToken cancelToken();

  /// Does this when the child ends, however it ends; the last one given is done first. What it
  /// throws is an error of the child.
  void deferred(Cleanup cleanup);

  /// Opens a nursery that this child owns: it is cancelled with the child, and the child does not
  /// end before it. One that is still open when the child's code returns is closed and awaited
  /// then, in turn with the cleanups; cancelled first, if the code threw.
  Nursery open(NurseryOptions options);

  /// Opens a nursery with the usual options.
  default Nursery open(String name) {
    return open(NurseryOptions.named(name));
  }
}
