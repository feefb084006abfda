package dev.damask.nursery;

import org.jspecify.annotations.Nullable;

/// What came of asking a nursery to take a child.
public sealed interface Spawn<T extends @Nullable Object> {
  /// It took the child, which runs.
  record Spawned<T extends @Nullable Object>(Child<T> child) implements Spawn<T> {}

  /// It did not.
  record Refused<T extends @Nullable Object>(Refusal refusal) implements Spawn<T> {}
}
