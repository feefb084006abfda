package dev.damask.event;

/// Receives the trace of a case as it happens.
@FunctionalInterface
public interface Tracer {
  /// Receives the next event.
  void accept(TraceEvent event);

  /// Returns whether the tracer receives every reduction, or only forks, joins, cancellations,
  /// effects and the end.
  default boolean wantsAll() {
    return true;
  }
}
