package dev.damask.nursery;

import org.jspecify.annotations.Nullable;

/// The result of a child.
public sealed interface ChildResult<T extends @Nullable Object> {
  /// The child returned this value.
  record Done<T extends @Nullable Object>(T value) implements ChildResult<T> {}

  /// The child or one of its cleanups threw this error.
  record Failed<T extends @Nullable Object>(Throwable error) implements ChildResult<T> {}

  /// The child was cancelled and stopped.
  record Cancelled<T extends @Nullable Object>(CancelReason reason) implements ChildResult<T> {}
}
