package dev.damask.nursery;

/// The code of a child without a result.
@FunctionalInterface
public interface ChildAction {
  /// Runs on the child's thread.
  void run(Self self) throws Exception;
}
