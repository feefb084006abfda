package dev.damask.document;

/// A place in a text, both from one.
public record Position(int line, int column) {
  @Override
  public String toString() {
    return line + ":" + column;
  }
}
