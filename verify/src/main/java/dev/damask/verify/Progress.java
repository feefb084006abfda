package dev.damask.verify;

/// Told now and then how a search is going.
@FunctionalInterface
public interface Progress {
  Progress SILENT = (states, statesPerSecond) -> true;

  /// Says whether to go on; a search that is stopped ends with an unknown verdict.
  boolean goOn(long states, long statesPerSecond);
}
