package dev.damask.drawing;

import dev.damask.drawing.Label.Font;
import dev.damask.drawing.Marks.Mark;
import dev.damask.drawing.Shape.Anchor;
import dev.damask.term.Node;
import dev.damask.term.Split;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A graph node as it is drawn: the join on the left, the body, and the split on the right with one
/// stub per exit, so that labels do not overlap.
final class Station {
  private static final int PITCH = 24;
  private static final int STUB = 22;
  private static final int TRUNK = 14;

  final int width;
  int above;
  final int below;

  private Mark mark = Mark.NONE;
  private String numbers = "";

  private final @Nullable Block core; // null at the start and the end
  private final Node.@Nullable Join join;
  private final @Nullable Split split; // null at the end
  private final int ins;
  private final int outs;
  private final int inWidth;
  private final int labelWidth;
  private final List<Label> joinWords;

  Station(
      @Nullable Block core,
      Node.@Nullable Join join,
      @Nullable Split split,
      List<Net.Edge> in,
      List<Net.Edge> out) {
    this.core = core;
    this.join = join;
    this.split = split;
    this.ins = in.size();
    this.outs = out.size();
    this.joinWords = joinWords(join);
    int weights = in.stream().mapToInt(e -> Label.of(e.weight, Font.SMALL).width()).max().orElse(0);
    int widest = joinWords.stream().mapToInt(Label::width).max().orElse(0);
    this.inWidth =
        join == null
            ? 0
            : join instanceof Node.Join.And
                ? (weights == 0 ? 0 : weights + STUB) + Branches.BAR + STUB
                : Math.max(Branches.GATE, widest + 4) + STUB;
    this.labelWidth = out.stream().mapToInt(e -> e.label().width()).max().orElse(0);
    int coreWidth = core == null ? 0 : core.width;
    this.width = inWidth + coreWidth + outWidth();
    int room = hasGate() ? Branches.GATE / 2 : 0;
    int labelled = labelWidth > 0 ? 18 : 0;
    int up = Math.max(room, Math.max((outs - 1) * PITCH / 2 + labelled, inSpan() / 2 + 8));
    int down = Math.max(room, Math.max((outs - 1) * PITCH / 2, inSpan() / 2 + 8));
    int ring = join == null || isAnd() ? 0 : Branches.GATE / 2 + 15 * joinWords.size() + 4;
    this.above = Math.max(up, core == null ? 0 : core.entry);
    this.below = Math.max(Math.max(down, ring), core == null ? 0 : core.height - core.entry);
  }

  /// Draws a mark on the station: tokens and state at its join, numbers at its split.
  Station marked(Marking.@Nullable NodeMark given) {
    if (given != null) {
      mark = given.mark();
      numbers = given.numbers();
      if (hasMark() && join != null) {
        above = Math.max(above, markTop() + Marking.ROOM);
      } else if (hasMark() && !hasGate()) {
        above = Math.max(above, (core == null ? 0 : core.entry) + Marking.ROOM);
      }
      if (!numbers.isEmpty() || (hasMark() && join == null)) {
        int split = Math.max(Branches.GATE / 2, (outs - 1) * PITCH / 2 + 18);
        above = Math.max(above, split + Marking.ROOM - drop());
      }
    }
    return this;
  }

  /// Returns the height of the join's badges above the rail. Badges that are wider than the join
  /// are also above the body, so that they do not cover its name.
  private int markTop() {
    int top = isAnd() ? inSpan() / 2 + 4 : Branches.GATE / 2;
    boolean isWide = Marking.rowWidth(mark, "") + 4 > inWidth;
    return isWide && core != null ? Math.max(top, core.entry) : top;
  }

  private boolean hasMark() {
    return Marking.rowWidth(mark, "") > 0;
  }

  /// Returns the offset of an exit from the rail.
  int outOffset(int index) {
    return outs < 2 ? drop() : drop() + (2 * index - outs + 1) * PITCH / 2;
  }

  int inOffset(int index) {
    return isAnd() && ins > 1 ? (2 * index - ins + 1) * PITCH / 2 : 0;
  }

  /// Draws the station with its rail at `above`.
  Block draw(Net.Vertex vertex) {
    Block block = new Block(width, above + below, above, above + drop()).kind("node");
    if (join != null) {
      drawJoin(block, vertex);
    }
    if (core != null) {
      if (inWidth > 0) {
        block.rail(core.isSolid, inWidth - STUB, above, inWidth, above);
      }
      block.place(core, inWidth, above - core.entry);
    }
    if (split != null && outs > 0) {
      drawSplit(block, vertex, split);
    }
    marks(block);
    return block;
  }

  private void marks(Block block) {
    Mark atSplit = Mark.NONE;
    if (hasMark() && join != null) {
      int middle = isAnd() ? inWidth - STUB : (inWidth - STUB) / 2 + 9;
      int row = Marking.rowWidth(mark, "");
      Marking.badges(block, mark, "", Math.max(middle, row) - 4, above - markTop() - 12);
    } else if (hasMark() && !hasGate()) {
      int entry = core == null ? 0 : core.entry;
      Marking.badges(block, mark, "", Marking.rowWidth(mark, ""), above - entry - 12);
    } else {
      atSplit = mark;
    }
    int row = Marking.rowWidth(atSplit, numbers);
    if (row > 0 && hasGate()) {
      int gate = inWidth + (core == null ? 0 : core.width + STUB);
      int y = above + drop() - Branches.GATE / 2 - 12;
      Marking.badges(block, atSplit, numbers, gate + Branches.GATE / 2 + row / 2 - 9, y);
    }
  }

  boolean isSolid() {
    if (join != null) {
      return isAnd() ? !hasWeights() : inWidth == Branches.GATE + STUB;
    }
    return core == null ? hasGate() : core.isSolid;
  }

  private boolean hasWeights() {
    return join instanceof Node.Join.And(var weights, var abort)
        && weights.values().stream().anyMatch(weight -> weight > 1);
  }

  private boolean isAnd() {
    return join instanceof Node.Join.And;
  }

  private int inSpan() {
    return isAnd() ? Math.max(24, (ins - 1) * PITCH + 8) : 0;
  }

  private int drop() {
    return core == null ? 0 : core.exit - core.entry;
  }

  private boolean hasGate() {
    return split instanceof Split.Xor || split instanceof Split.Or || split instanceof Split.And;
  }

  private boolean isBar() {
    return split instanceof Split.And;
  }

  private int outWidth() {
    int lead = core == null ? 0 : STUB;
    int label = labelWidth == 0 ? 0 : labelWidth + 12;
    if (!hasGate()) {
      return label;
    }
    return isBar() ? lead + Branches.BAR : lead + Branches.GATE + TRUNK + label + 4;
  }

  private void drawJoin(Block block, Net.Vertex vertex) {
    if (isAnd()) {
      int bar = inWidth - STUB - Branches.BAR;
      String style = mark.state() == null ? "bar" : "bar stuck";
      block.add(new Shape.Box(style, bar, above - inSpan() / 2 - 4, Branches.BAR, inSpan() + 8, 3));
      for (int i = 0; i < vertex.in.size(); i++) {
        int y = above + inOffset(i);
        block.line(vertex.in.get(i).isTaken ? "taken" : "rail", true, 0, y, bar, y);
        Label weight = Label.of(vertex.in.get(i).weight, Font.SMALL);
        block.text("small", 6, y - 4, Anchor.START, weight);
      }
      return;
    }
    int middle = (inWidth - STUB) / 2;
    int half = Branches.GATE / 2;
    block.rail(true, 0, above, middle - half, above);
    block.rail(false, middle + half, above, inWidth - STUB, above);
    String sign =
        switch (join) {
          case Node.Join.Blocking(int k, var sources, var abort) -> Integer.toString(k);
          case Node.Join.Cancelling(int k, var sources, var cancel, var abort) ->
              Integer.toString(k);
          case null, default -> "";
        };
    block.place(Leaves.ring(sign), middle - half, above - half);
    int y = above + half;
    for (Label words : joinWords) {
      y += 14;
      block.text("small", middle, y, Anchor.MIDDLE, words);
    }
    if (sign.isEmpty()) {
      block.over.add(new Shape.Circle("inner", middle, above, 7));
    }
  }

  private void drawSplit(Block block, Net.Vertex vertex, Split way) {
    int level = above + drop();
    int coreEnd = inWidth + (core == null ? 0 : core.width);
    int gate = coreEnd + (core == null ? 0 : STUB);
    if (!hasGate()) {
      String style = vertex.out.getFirst().isTaken ? "taken" : "rail";
      block.line(style, false, coreEnd, level, width, level);
      block.text("code", coreEnd + 8, level - 5, Anchor.START, vertex.out.getFirst().label());
      return;
    }
    boolean isTaken = vertex.out.stream().anyMatch(edge -> edge.isTaken);
    block.line(isTaken ? "taken" : "rail", true, coreEnd, level, gate, level);
    if (isBar()) {
      int tall = Math.max(24, (outs - 1) * PITCH + 16);
      block.add(new Shape.Box("bar", gate, level - tall / 2, Branches.BAR, tall, 3));
      return;
    }
    int trunk = gate + Branches.GATE + TRUNK;
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < vertex.out.size(); i++) {
      order.add(vertex.out.get(i).isTaken ? order.size() : 0, i);
    }
    for (int i : order) {
      int y = above + outOffset(i);
      block.line(
          vertex.out.get(i).isTaken ? "taken" : "rail",
          false,
          gate + Branches.GATE,
          level,
          trunk,
          level,
          trunk,
          y,
          width,
          y);
      block.text("code", trunk + 8, y - 5, Anchor.START, vertex.out.get(i).label());
    }
    boolean isFree = way instanceof Split.Xor(var arcs) && arcs.getFirst().guard() == null;
    block.place(Leaves.diamond(isFree ? "?" : ""), gate, level - Branches.GATE / 2);
    if (way instanceof Split.Or) {
      block.over.add(new Shape.Circle("inner", gate + Branches.GATE / 2, level, 6));
    }
  }

  private static List<Label> joinWords(Node.@Nullable Join join) {
    List<Label> words = new ArrayList<>();
    switch (join) {
      case Node.Join.Blocking(int k, var sources, var abort) ->
          words.add(Label.of(k + " of " + sources.size(), Font.SMALL));
      case Node.Join.Cancelling(int k, var sources, var cancel, var abort) -> {
        words.add(Label.of(k + " of " + sources.size(), Font.SMALL));
        if (!cancel.isEmpty()) {
          words.add(Label.of("cancels " + String.join(", ", cancel), Font.SMALL, 140));
        }
      }
      case null, default -> {}
    }
    if (join != null && join.abort() && !(join instanceof Node.Join.And)) {
      words.add(Label.of("or abort", Font.SMALL));
    }
    return words;
  }
}
