package dev.damask.trace;

/// How much of a run is written down.
public enum TraceLevel {
  NONE,
  /// Forks, joins, cancellations, effects, the end.
  MIN,
  /// Every reduction.
  FULL
}
