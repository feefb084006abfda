package dev.damask.verify;

/// Whether a search may leave out orders of steps that make no difference.
public enum Reduction {
  /// Every order is tried. Traces are shortest.
  NONE,
  /// Every order while the state space is small, then only those that can make a difference.
  AUTO,
  /// Only orders that can make a difference. Traces are real, but perhaps not the shortest.
  ALWAYS
}
