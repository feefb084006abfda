package dev.damask.term;

/// When a case or a graph ends.
public enum Mode {
  /// When nothing is left to do in it.
  IMPLICIT,
  /// When the first token reaches the end; everything else in it is cancelled.
  EXPLICIT
}
