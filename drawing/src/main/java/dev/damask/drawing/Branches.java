package dev.damask.drawing;

import dev.damask.drawing.Shape.Anchor;
import java.util.List;

/// Lays out blocks one above the other between a split and a join.
final class Branches {
  static final int BAR = 6;
  static final int GATE = 28;

  private static final int GAP = 18;
  private static final int STUB = 24;
  private static final int HEADER = 18;
  private static final int SNAP = 16;

  private Branches() {}

  /// Lays out branches between two bars, with the join policy above the second.
  static Block fork(String policy, List<Label> guards, List<Block> branches) {
    Label label = Label.of(policy, Label.Font.SMALL);
    int guardWidth = widest(guards);
    int left = BAR + STUB + (guardWidth == 0 ? 0 : guardWidth + 8);
    int inner = branches.stream().mapToInt(branch -> branch.width).max().orElse(0);
    int close = left + inner + STUB;
    int over = Math.max(0, label.width() / 2 - STUB);
    int width = Math.max(close + BAR + over, label.width());
    int[] tops = tops(HEADER, branches);
    int height = tops[tops.length - 1] - GAP;
    int rail = rail(tops, branches, (HEADER + height) / 2);
    Block block = new Block(width, height, rail).solid();
    block.add(new Shape.Box("bar", 0, HEADER, BAR, height - HEADER, 3));
    block.add(new Shape.Box("bar", close, HEADER, BAR, height - HEADER, 3));
    block.text("small", close + BAR / 2, HEADER - 6, Anchor.MIDDLE, label);
    for (int i = 0; i < branches.size(); i++) {
      Block branch = branches.get(i);
      int y = tops[i] + branch.entry;
      block.railTo(branch, BAR, y, left, y);
      block.text("code", BAR + 8, y - 5, Anchor.START, guards.get(i));
      block.place(branch, left, tops[i]);
      if (!branch.ends) {
        int out = tops[i] + branch.exit;
        block.rail(true, left + branch.width, out, close, out);
      }
    }
    if (close + BAR < width) {
      block.rail(false, close + BAR, rail, width, rail);
    }
    return block.corner(close + BAR, HEADER);
  }

  /// Lays out branches of a gate, of which one is taken, with a common exit.
  static Block gate(Block gate, List<Label> guards, List<Block> branches) {
    int guardWidth = widest(guards);
    int trunk = gate.width + 14;
    int left = trunk + 12 + (guardWidth == 0 ? 12 : guardWidth + 16);
    int inner = branches.stream().mapToInt(branch -> branch.width).max().orElse(0);
    int meet = left + inner + 16;
    int width = meet + 14;
    int room = Math.max(0, gate.height / 2 - branches.getFirst().entry);
    int[] tops = tops(room, branches);
    int bottom = tops[tops.length - 1] - GAP;
    int rail = rail(tops, branches, (room + bottom) / 2);
    Block block = new Block(width, Math.max(bottom, rail + gate.height / 2), rail).solid();
    boolean ends = true;
    for (int i = 0; i < branches.size(); i++) {
      Block branch = branches.get(i);
      int y = tops[i] + branch.entry;
      block.railTo(branch, gate.width, rail, trunk, rail, trunk, y, left, y);
      block.text("code", trunk + 12, y - 5, Anchor.START, guards.get(i));
      block.place(branch, left, tops[i]);
      if (!branch.ends) {
        int out = tops[i] + branch.exit;
        block.rail(false, left + branch.width, out, meet, out, meet, rail, width, rail);
        ends = false;
      }
    }
    block.place(gate, 0, rail - gate.entry);
    block.hasRoom = true;
    return block.ends(ends).corner(gate.width + 2, rail - gate.entry - 8);
  }

  private static int widest(List<Label> labels) {
    return labels.stream().mapToInt(Label::width).max().orElse(0);
  }

  /// Returns the upper edge of each branch, followed by the upper edge of a further one.
  private static int[] tops(int first, List<Block> branches) {
    int[] tops = new int[branches.size() + 1];
    tops[0] = first;
    for (int i = 0; i < branches.size(); i++) {
      tops[i + 1] = tops[i] + branches.get(i).height + GAP;
    }
    return tops;
  }

  /// Returns the middle, or the entry of a branch near it, so that the rail is straight.
  private static int rail(int[] tops, List<Block> branches, int middle) {
    int best = middle;
    int distance = SNAP;
    for (int i = 0; i < branches.size(); i++) {
      int y = tops[i] + branches.get(i).entry;
      if (Math.abs(y - middle) < distance) {
        best = y;
        distance = Math.abs(y - middle);
      }
    }
    return best;
  }
}
