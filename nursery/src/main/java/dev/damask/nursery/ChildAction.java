package dev.damask.nursery;

/// The code of a child that returns nothing.
@FunctionalInterface
public interface ChildAction {
  /// Runs in the child's thread.
  void run(Self self) throws Exception;
}
