package dev.damask.nursery;

/// The code that spawns the children of a nursery.
@FunctionalInterface
public interface NurseryBlock {
  /// Runs on the thread that opened the nursery.
  void run(Nursery nursery) throws Exception;
}
