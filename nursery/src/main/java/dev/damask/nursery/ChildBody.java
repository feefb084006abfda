package dev.damask.nursery;

import org.jspecify.annotations.Nullable;

/// The code of a child with a result.
@FunctionalInterface
public interface ChildBody<T extends @Nullable Object> {
  /// Runs on the child's thread and returns the result.
  T run(Self self) throws Exception;
}
