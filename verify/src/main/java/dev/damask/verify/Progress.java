package dev.damask.verify;

/// Receives the progress of a search.
@FunctionalInterface
public interface Progress {
  Progress SILENT = (states, statesPerSecond) -> true;

  /// Returns whether to continue. A search that is stopped ends with an unknown verdict.
  boolean goOn(long states, long statesPerSecond);
}
