package dev.damask.nursery;

import org.jspecify.annotations.Nullable;

/// The code of a child that returns something.
@FunctionalInterface
public interface ChildBody<T extends @Nullable Object> {
  /// Runs in the child's thread.
  T run(Self self) throws Exception;
}
