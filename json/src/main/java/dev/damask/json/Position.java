package dev.damask.json;

/// A position in a string. Line and column count from one.
public record Position(int line, int column) {
  /// The first character of a string.
  public static final Position START = new Position(1, 1);

  /// The position of a value that was not read from a string.
  public static final Position NONE = new Position(0, 0);

  @Override
  public String toString() {
    return line + ":" + column;
  }
}
