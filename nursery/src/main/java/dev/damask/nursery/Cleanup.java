package dev.damask.nursery;

/// Something to do when a child or a nursery ends.
@FunctionalInterface
public interface Cleanup {
  /// Runs once, with interruption held off.
  void run() throws Exception;
}
