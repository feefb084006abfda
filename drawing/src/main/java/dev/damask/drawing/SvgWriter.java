package dev.damask.drawing;

import dev.damask.drawing.Block.Placed;
import dev.damask.drawing.Shape.Anchor;
import dev.damask.drawing.Shape.Point;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/// Writes a laid-out diagram as SVG.
final class SvgWriter {
  private static final int RADIUS = 8;
  private static final int TIP = 7;

  private final StringBuilder out = new StringBuilder(1 << 14);

  private SvgWriter() {}

  static String write(WorkflowDefinition workflow, Block page, Theme theme) {
    return new SvgWriter().document(workflow, page, theme);
  }

  private String document(WorkflowDefinition workflow, Block page, Theme theme) {
    out.append("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"damask\" role=\"img\" width=\"")
        .append(page.width)
        .append("\" height=\"")
        .append(page.height)
        .append("\" viewBox=\"0 0 ")
        .append(page.width)
        .append(' ')
        .append(page.height)
        .append("\">\n<title>");
    XmlText.escape(out, workflow.name());
    out.append("</title>\n");
    if (!workflow.description().isEmpty()) {
      out.append("<desc>");
      XmlText.escape(out, workflow.description());
      out.append("</desc>\n");
    }
    out.append("<style>\n").append(Style.sheet(theme)).append("</style>\n");
    blocks(page);
    return out.append("</svg>\n").toString();
  }

  /// One step of the traversal: before a block's parts, or after them.
  private record Stop(Placed placed, boolean isLeaving) {}

  private void blocks(Block page) {
    Deque<Stop> open = new ArrayDeque<>();
    open.push(new Stop(new Placed(page, 0, 0), false));
    while (!open.isEmpty()) {
      Stop stop = open.pop();
      Placed placed = stop.placed();
      Block block = placed.block();
      if (stop.isLeaving()) {
        block.over.forEach(shape -> shape(shape, placed.x(), placed.y()));
        if (!block.kind.isEmpty()) {
          out.append("</g>\n");
        }
        continue;
      }
      if (!block.kind.isEmpty()) {
        group(block);
      }
      block.shapes.forEach(shape -> shape(shape, placed.x(), placed.y()));
      open.push(new Stop(placed, true));
      for (Placed part : block.parts.reversed()) {
        int x = placed.x() + part.x();
        int y = placed.y() + part.y();
        open.push(new Stop(new Placed(part.block(), x, y), false));
      }
    }
  }

  private void group(Block block) {
    out.append("<g class=\"").append(block.kind).append('"');
    if (!block.path.isEmpty()) {
      out.append(" data-path=\"");
      XmlText.escape(out, block.path);
      out.append('"');
    }
    out.append(">\n");
  }

  private void shape(Shape shape, int dx, int dy) {
    switch (shape) {
      case Shape.Box(var style, int x, int y, int width, int height, int radius) -> {
        open("rect", style).append(" x=\"").append(x + dx).append("\" y=\"").append(y + dy);
        out.append("\" width=\"").append(width).append("\" height=\"").append(height);
        out.append("\" rx=\"").append(radius).append("\"/>\n");
      }
      case Shape.Circle(var style, int x, int y, int radius) -> {
        open("circle", style).append(" cx=\"").append(x + dx).append("\" cy=\"").append(y + dy);
        out.append("\" r=\"").append(radius).append("\"/>\n");
      }
      case Shape.Line line -> line(line, dx, dy);
      case Shape.Text text -> text(text, dx, dy);
      case Shape.Glyph(var style, int x, int y, var path) -> {
        open("path", style).append(" transform=\"translate(").append(x + dx).append(' ');
        out.append(y + dy).append(")\" d=\"").append(path).append("\"/>\n");
      }
    }
  }

  private StringBuilder open(String element, String style) {
    return out.append('<').append(element).append(" class=\"").append(style).append('"');
  }

  private void text(Shape.Text text, int dx, int dy) {
    open("text", text.style()).append(" x=\"").append(text.x() + dx);
    out.append("\" y=\"").append(text.y() + dy).append('"');
    if (text.anchor() != Anchor.START) {
      out.append(" text-anchor=\"").append(text.anchor().name().toLowerCase(Locale.ROOT));
      out.append('"');
    }
    out.append('>');
    if (!text.label().shown().equals(text.label().full())) {
      out.append("<title>");
      XmlText.escape(out, text.label().full());
      out.append("</title>");
    }
    XmlText.escape(out, text.label().shown());
    out.append("</text>\n");
  }

  private void line(Shape.Line line, int dx, int dy) {
    List<Point> points = line.points();
    Point tip = points.getLast();
    Point before = points.get(points.size() - 2);
    open("path", line.style()).append(" d=\"M");
    point(points.getFirst().x() + dx, points.getFirst().y() + dy);
    for (int i = 1; i < points.size(); i++) {
      Point from = points.get(i - 1);
      Point to = points.get(i);
      boolean isLast = i + 1 == points.size();
      if (from.x() != to.x() && from.y() != to.y() && !line.style().equals("diamond")) {
        curve(from, to, dx, dy);
      } else if (isLast || line.style().equals("diamond")) {
        out.append('L');
        int back = line.arrow() ? 2 : 0;
        point(
            to.x() - back * Integer.signum(to.x() - from.x()) + dx,
            to.y() - back * Integer.signum(to.y() - from.y()) + dy);
      } else {
        corner(from, to, points.get(i + 1), dx, dy);
      }
    }
    out.append("\"/>\n");
    if (line.arrow()) {
      tip(line.style(), before, tip, dx, dy);
    }
  }

  /// Draws a line to a corner and the rounded turn.
  private void corner(Point from, Point at, Point to, int dx, int dy) {
    int reach = Math.min(RADIUS, Math.min(distance(from, at), distance(at, to)) / 2);
    boolean isTurn = (from.x() == at.x()) != (at.x() == to.x());
    if (reach == 0 || !isTurn || (at.x() != to.x() && at.y() != to.y())) {
      out.append('L');
      point(at.x() + dx, at.y() + dy);
      return;
    }
    out.append('L');
    toward(at, from, reach, dx, dy);
    out.append('Q');
    point(at.x() + dx, at.y() + dy);
    out.append(' ');
    toward(at, to, reach, dx, dy);
  }

  private void curve(Point from, Point to, int dx, int dy) {
    int middle = (from.x() + to.x()) / 2 + dx;
    out.append('C');
    point(middle, from.y() + dy);
    out.append(' ');
    point(middle, to.y() + dy);
    out.append(' ');
    point(to.x() + dx, to.y() + dy);
  }

  private void tip(String style, Point before, Point tip, int dx, int dy) {
    int x = tip.x() + dx;
    int y = tip.y() + dy;
    int side = before.x() == tip.x() ? 0 : Integer.signum(tip.x() - before.x());
    int up = side == 0 ? Integer.signum(tip.y() - before.y()) : 0;
    open("path", style + "-tip").append(" d=\"M");
    point(x, y);
    out.append('L');
    point(x - TIP * side - 4 * up, y - TIP * up - 4 * side);
    out.append('L');
    point(x - TIP * side + 4 * up, y - TIP * up + 4 * side);
    out.append("Z\"/>\n");
  }

  private void toward(Point from, Point to, int reach, int dx, int dy) {
    point(
        from.x() + reach * Integer.signum(to.x() - from.x()) + dx,
        from.y() + reach * Integer.signum(to.y() - from.y()) + dy);
  }

  private void point(int x, int y) {
    out.append(x).append(' ').append(y);
  }

  private static int distance(Point a, Point b) {
    return Math.abs(a.x() - b.x()) + Math.abs(a.y() - b.y());
  }
}
