package dev.damask.drawing;

import java.util.List;

/// A drawing primitive. Coordinates are whole pixels within a block, and a style is the name of a
/// class in [Style].
sealed interface Shape {
  record Box(String style, int x, int y, int width, int height, int radius) implements Shape {}

  record Circle(String style, int x, int y, int radius) implements Shape {}

  record Point(int x, int y) {}

  /// A path along points: straight with round corners where two points share a coordinate,
  /// otherwise a curve with horizontal ends.
  record Line(String style, List<Point> points, boolean arrow) implements Shape {
    public Line {
      points = List.copyOf(points);
      if (points.size() < 2) {
        throw new IllegalArgumentException("a line must have at least two points, got " + points);
      }
    }
  }

  /// One line of text; `y` is its baseline.
  record Text(String style, int x, int y, Anchor anchor, Label label) implements Shape {}

  /// A small drawing around its own origin.
  record Glyph(String style, int x, int y, String path) implements Shape {}

  enum Anchor {
    START,
    MIDDLE,
    END
  }
}
