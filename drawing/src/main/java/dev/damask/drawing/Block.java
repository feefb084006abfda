package dev.damask.drawing;

import dev.damask.drawing.Shape.Anchor;
import dev.damask.drawing.Shape.Point;
import java.util.ArrayList;
import java.util.List;

/// A laid-out part of a diagram. Flow enters on the left edge at the height `entry` and leaves on
/// the right edge at the height `exit`.
///
/// A block is filled by the code that lays it out and is not changed afterwards.
final class Block {
  record Placed(Block block, int x, int y) {}

  final int width;
  final int height;
  final int entry;
  final int exit;

  /// The shapes drawn below the parts and above them.
  final List<Shape> shapes = new ArrayList<>();

  final List<Placed> parts = new ArrayList<>();
  final List<Shape> over = new ArrayList<>();

  /// The classes of the block's group; empty if the block is not a term.
  String kind = "";

  /// The text of the term's path; empty if the block is not a term.
  String path = "";

  /// Whether there is a solid shape at the entry, so that an arrow head can point at it.
  boolean isSolid;

  /// Whether the highlighted path passes here, so that the rail to it is highlighted too.
  boolean isTaken;

  /// The width of the row of badges above it, which has the height [Marking#ROOM]; 0 without
  /// badges.
  int badges;

  /// Whether marks at the corner have free space.
  boolean hasRoom;

  /// Whether flow never leaves through the exit.
  boolean ends;

  /// The upper right corner of the shape that a mark belongs to.
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

  /// Adds a rail along points given as x, y, x, y and so on.
  Block rail(boolean arrow, int... coordinates) {
    return line("rail", arrow, coordinates);
  }

  /// Adds a rail that leads to a block.
  Block railTo(Block target, int... coordinates) {
    return line(target.isTaken ? "taken" : "rail", target.isSolid, coordinates);
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

  /// Returns a short piece of rail, for a term that does nothing.
  static Block straight(int width) {
    return new Block(width, 12, 6).rail(false, 0, 6, width, 6);
  }
}
