package dev.damask.drawing;

import dev.damask.drawing.Shape.Anchor;
import dev.damask.drawing.Shape.Point;
import java.util.ArrayList;
import java.util.List;

/// A laid-out piece of a picture. Flow enters on the left edge at the height `entry` and leaves on
/// the right edge at the height `exit`; what lies between is the block's own business.
///
/// A block is filled by the one that lays it out and left alone afterwards.
final class Block {
  record Placed(Block block, int x, int y) {}

  final int width;
  final int height;
  final int entry;
  final int exit;

  /// Drawn below the parts and above them.
  final List<Shape> shapes = new ArrayList<>();

  final List<Placed> parts = new ArrayList<>();
  final List<Shape> over = new ArrayList<>();

  /// The classes of the block's group; empty when the block is no term.
  String kind = "";

  /// The text of the term's path; empty when the block is no term.
  String path = "";

  /// Whether something solid stands at the entry, so that an arrow head can point at it.
  boolean isSolid;

  /// Whether nothing ever leaves through the exit.
  boolean ends;

  /// The upper right corner of what a mark belongs to.
  Point corner;

  Block(int width, int height, int entry, int exit) {
    this.width = width;
    this.height = height;
    this.entry = entry;
    this.exit = exit;
    this.corner = new Point(width, 0);
  }

  Block(int width, int height, int rail) {
    this(width, height, rail, rail);
  }

  Block kind(String value) {
    kind = value;
    return this;
  }

  Block solid() {
    isSolid = true;
    return this;
  }

  Block ends(boolean value) {
    ends = value;
    return this;
  }

  Block corner(int x, int y) {
    corner = new Point(x, y);
    return this;
  }

  Block add(Shape shape) {
    shapes.add(shape);
    return this;
  }

  Block box(String style, int x, int y, int boxWidth, int boxHeight) {
    return add(new Shape.Box(style, x, y, boxWidth, boxHeight, 8));
  }

  /// A rail along points given as x, y, x, y and so on.
  Block rail(boolean arrow, int... coordinates) {
    return line("rail", arrow, coordinates);
  }

  Block line(String style, boolean arrow, int... coordinates) {
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < coordinates.length; i += 2) {
      Point point = new Point(coordinates[i], coordinates[i + 1]);
      if (points.isEmpty() || !points.getLast().equals(point)) {
        points.add(point);
      }
    }
    return points.size() < 2 ? this : add(new Shape.Line(style, points, arrow));
  }

  Block text(String style, int x, int y, Anchor anchor, Label label) {
    return label.isEmpty() ? this : add(new Shape.Text(style, x, y, anchor, label));
  }

  Block place(Block block, int x, int y) {
    parts.add(new Placed(block, x, y));
    return this;
  }

  /// A short piece of rail, for what does nothing.
  static Block straight(int width) {
    return new Block(width, 12, 6).rail(false, 0, 6, width, 6);
  }
}
