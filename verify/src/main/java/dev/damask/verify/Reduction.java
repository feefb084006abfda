package dev.damask.verify;

/// The use of partial-order reduction.
public enum Reduction {
  /// Every order is tried. Traces are shortest.
  NONE,
  /// Every order is tried while the state space is small, then only orders that can make a
  /// difference.
  AUTO,
  /// Only orders that can make a difference are tried. Traces are real, but perhaps not the
  /// shortest.
  ALWAYS
}
