package dev.damask.drawing;

import dev.damask.drawing.Shape.Anchor;

/// Draws loops: a body, a diamond with the condition, and a rail that leads back below.
final class Loops {
  private static final int STUB = 26;
  private static final int BELOW = 16;
  private static final int LINE = 18;

  private Loops() {}

  /// Draws a loop that decides before each round: the diamond is on the left, and the exit passes
  /// above.
  static Block before(String condition, Block body) {
    Label label = Label.of(condition, Label.Font.CODE);
    Block gate = Leaves.diamond("");
    int slack = Math.max(0, label.width() - STUB - body.width) / 2;
    int left = gate.width + STUB + slack;
    int turn = left + body.width + slack + 14;
    int width = turn + 26;
    int above = Math.max(16, gate.height / 2 + 14 - body.entry);
    int level = above + body.entry;
    int back = Math.max(above + body.height, level + gate.height / 2) + BELOW;
    int middle = gate.width / 2;
    Block block = new Block(width, back + LINE, level).solid();
    block.railTo(body, gate.width, level, left, level);
    block.place(body, left, above);
    if (!body.ends) {
      int out = above + body.exit;
      int foot = level + gate.height / 2;
      block.rail(true, left + body.width, out, turn, out, turn, back, middle, back, middle, foot);
    }
    int head = level - gate.height / 2;
    block.rail(false, middle, head, middle, 4, turn + 14, 4, turn + 14, level, width, level);
    block.place(gate, 0, head);
    block.text("code", (middle + turn) / 2, back + 13, Anchor.MIDDLE, label);
    return block.corner(gate.width + 2, head - 8);
  }

  /// Draws a loop that decides after each round: the diamond is on the right.
  static Block after(String condition, Block body) {
    Label label = Label.of(condition, Label.Font.CODE);
    Block gate = Leaves.diamond("");
    int slack = Math.max(0, label.width() - 2 * STUB - body.width) / 2;
    int left = STUB + 4 + slack;
    int right = left + body.width + slack + STUB;
    int above = Math.max(0, gate.height / 2 - body.exit);
    int level = above + body.entry;
    int out = above + body.exit;
    int back = Math.max(above + body.height, out + gate.height / 2) + BELOW;
    int middle = right + gate.width / 2;
    Block block = new Block(right + gate.width, back + LINE, level, out);
    block.railTo(body, 0, level, left, level);
    block.place(body, left, above);
    if (!body.ends) {
      block.rail(true, left + body.width, out, right, out);
    }
    block.rail(true, middle, out + gate.height / 2, middle, back, 10, back, 10, level);
    block.place(gate, right, out - gate.height / 2);
    block.text("code", (10 + middle) / 2, back + 13, Anchor.MIDDLE, label);
    return block.corner(right + gate.width + 2, out - gate.height / 2 - 8);
  }
}
