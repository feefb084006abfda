package dev.damask.drawing;

/// The colours of a diagram.
public enum Theme {
  /// Those that the reader's system prefers; light if it has no preference.
  AUTO,
  LIGHT,
  DARK
}
