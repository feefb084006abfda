package dev.damask.nursery;

/// An action that runs when a child or a nursery ends.
@FunctionalInterface
public interface Cleanup {
  /// Runs once. Interrupts are deferred until it has returned.
  void run() throws Exception;
}
