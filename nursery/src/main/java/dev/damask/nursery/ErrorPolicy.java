package dev.damask.nursery;

/// The reaction of a nursery to the error of a child.
public enum ErrorPolicy {
  /// The first error cancels the other children. Later errors are suppressed exceptions of it.
  CANCEL_ON_FIRST_ERROR,
  /// The other children continue. The result holds every error, up to a limit of 100,000.
  COLLECT_ALL,
  /// The other children continue. Each error is passed to the listener `NurseryOptions.onError`
  /// when it happens. The result does not hold it, and the nursery does not fail because of it. Use
  /// it for nurseries that outlive their children, such as a server's.
  SUPERVISE
}
