package dev.damask.nursery;

/// The code that fills a nursery.
@FunctionalInterface
public interface NurseryBlock {
  /// Runs in the thread that opened the nursery.
  void run(Nursery nursery) throws Exception;
}
