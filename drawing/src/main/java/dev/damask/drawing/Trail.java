package dev.damask.drawing;

import dev.damask.drawing.Block.Placed;
import dev.damask.drawing.Shape.Point;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Completes the highlighted path of a diagram. Each block highlights the rails that lead to its
/// parts; this class finds the short pieces between them, such as the exit of a frame.
final class Trail {
  /// A rail that is not highlighted, at its index among the shapes of its block.
  private record Piece(Placed at, int index, Shape.Line line) {
    Point start() {
      return absolute(at, line.points().getFirst());
    }

    Point end() {
      return absolute(at, line.points().getLast());
    }
  }

  private final List<Piece> pieces = new ArrayList<>();

  /// The ends of highlighted rails without an arrow head. Rails that begin there continue the path.
  private final Set<Point> loose = new HashSet<>();

  /// The possible predecessors: ends of highlighted rails, and exits of blocks on the path.
  private final Set<Point> sources = new HashSet<>();

  /// The known successors: starts of highlighted rails, and entries of blocks on the path.
  private final Set<Point> targets = new HashSet<>();

  private Trail() {}

  static Block complete(Block page) {
    Trail trail = new Trail();
    trail.collect(page);
    if (!trail.targets.isEmpty()) {
      boolean changes = true;
      while (changes) {
        changes = trail.pieces.removeIf(trail::join);
      }
    }
    return page;
  }

  private void collect(Block page) {
    Deque<Placed> open = new ArrayDeque<>(List.of(new Placed(page, 0, 0)));
    while (!open.isEmpty()) {
      Placed at = open.pop();
      Block block = at.block();
      if (block.isTaken) {
        sources.add(absolute(at, new Point(block.width, block.exit)));
        targets.add(absolute(at, new Point(0, block.entry)));
      }
      for (int i = 0; i < block.shapes.size(); i++) {
        if (block.shapes.get(i) instanceof Shape.Line line) {
          Piece piece = new Piece(at, i, line);
          if (line.style().equals("taken")) {
            take(piece);
          } else if (line.style().equals("rail")) {
            pieces.add(piece);
          }
        }
      }
      for (Placed part : block.parts) {
        open.push(new Placed(part.block(), at.x() + part.x(), at.y() + part.y()));
      }
    }
  }

  private void take(Piece piece) {
    targets.add(piece.start());
    sources.add(piece.end());
    Block block = piece.at().block();
    Point exit = absolute(piece.at(), new Point(block.width, block.exit));
    // A token at the end of a graph waits there for the others.
    if (!piece.line().arrow() && !piece.end().equals(exit)) {
      loose.add(piece.end());
    }
  }

  /// Highlights a piece if it is part of the path.
  private boolean join(Piece piece) {
    boolean goesOn = loose.contains(piece.start());
    Block block = piece.at().block();
    boolean comes =
        sources.contains(piece.start())
            || (block.isTaken && block.parts.isEmpty())
            || touches(piece, piece.line().points(), true);
    boolean leads = targets.contains(piece.end()) || meets(piece);
    if (!goesOn && !(comes && leads)) {
      return false;
    }
    Shape.Line line = piece.line();
    piece
        .at()
        .block()
        .shapes
        .set(piece.index(), new Shape.Line("taken", line.points(), line.arrow()));
    take(piece);
    return true;
  }

  /// Returns whether a piece leads to the bar of a join from which the path continues.
  private boolean meets(Piece piece) {
    Block block = piece.at().block();
    Point exit = absolute(piece.at(), new Point(block.width, block.exit));
    return targets.contains(exit) && touches(piece, piece.line().points(), false);
  }

  /// Returns whether a piece begins or ends at a bar or a gateway of its own block.
  private static boolean touches(Piece piece, List<Point> points, boolean isStart) {
    Point point = isStart ? points.getFirst() : points.getLast();
    for (Shape shape : piece.at().block().shapes) {
      if (shape instanceof Shape.Box(var style, int x, _, int width, _, _)
          && style.startsWith("bar")
          && point.x() == (isStart ? x + width : x)) {
        return true;
      }
    }
    for (Placed part : piece.at().block().parts) {
      Block gate = part.block();
      if (gate.kind.equals("gateway")
          && point.x() >= part.x()
          && point.x() <= part.x() + gate.width
          && point.y() >= part.y()
          && point.y() <= part.y() + gate.height) {
        return true;
      }
    }
    return false;
  }

  private static Point absolute(Placed at, Point point) {
    return new Point(at.x() + point.x(), at.y() + point.y());
  }
}
