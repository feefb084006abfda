package dev.damask.nursery;

/// What a nursery does when a child fails.
public enum ErrorPolicy {
  /// The first error cancels the other children; later errors are suppressed exceptions of it.
  CANCEL_ON_FIRST_ERROR,
  /// The other children go on; the result holds every error.
  COLLECT_ALL
}
