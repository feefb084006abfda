package dev.damask.nursery;

import org.jspecify.annotations.Nullable;

/// How a child ended.
public sealed interface ChildResult<T extends @Nullable Object> {
  /// It returned.
  record Done<T extends @Nullable Object>(T value) implements ChildResult<T> {}

  /// It threw, or one of its cleanups did.
  record Failed<T extends @Nullable Object>(Throwable error) implements ChildResult<T> {}

  /// It was told to stop and stopped.
  record Cancelled<T extends @Nullable Object>(CancelReason reason) implements ChildResult<T> {}
}
