package dev.damask.drawing;

/// Icons of about twelve pixels, drawn around their origin.
final class Glyphs {
  static final String ENVELOPE = "M-6-4H6V4H-6ZM-6-4L0 1L6-4";
  static final String CLOCK = "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0M0-3V0L2 2";
  static final String CROSS = "M-5-5L5 5M5-5L-5 5";
  static final String BOLT = "M1-6L-3 1H1L-1 6";
  static final String UNDO = "M-4-1A4.5 4.5 0 1 1-3 3M-5-5L-4-1L0-2";
  static final String HOURGLASS = "M-4-6H4L-4 6H4Z";
  static final String EYE = "M-6 0Q0-6 6 0Q0 6-6 0ZM-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0";
  static final String CHECK = "M-4 0L-1 3L4-3";
  static final String DOTS = "M-4 0h.01M0 0h.01M4 0h.01";
  static final String PLAY = "M-2-4L4 0L-2 4Z";

  private Glyphs() {}
}
