package dev.damask.nursery;

import org.jspecify.annotations.Nullable;

/// The result of `trySpawn`.
public sealed interface Spawn<T extends @Nullable Object> {
  /// The nursery accepted the child, and it runs.
  record Spawned<T extends @Nullable Object>(Child<T> child) implements Spawn<T> {}

  /// The nursery refused the child.
  record Refused<T extends @Nullable Object>(RefusalReason refusal) implements Spawn<T> {}
}
