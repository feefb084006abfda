package dev.damask.drawing;

import java.util.ArrayList;
import java.util.List;

/// Lays out sequences: blocks one after the other, in several rows if one would be too long for a
/// page.
final class Rows {
  static final int GAP = 28;
  static final int WIDTH_MAX = 1_500;

  private static final int ROW_GAP = 36;
  private static final int TURN = 20;

  private Rows() {}

  static Block of(List<Block> parts) {
    List<List<Block>> rows = split(parts);
    return rows.size() == 1 ? row(parts) : stack(rows.stream().map(Rows::row).toList());
  }

  /// Lays out two blocks one after the other.
  static Block of(Block first, Block second) {
    return row(List.of(first, second));
  }

  private static Block row(List<Block> parts) {
    int above = 0;
    int below = 0;
    int rail = 0;
    int width = -GAP;
    for (Block part : parts) {
      int top = rail - part.entry;
      above = Math.max(above, -top);
      below = Math.max(below, top + part.height);
      rail = top + part.exit;
      width += part.width + GAP;
    }
    Block row = new Block(width, above + below, above, above + rail);
    row.isSolid = parts.getFirst().isSolid;
    row.ends = parts.getLast().ends;
    row.isTaken = parts.getFirst().isTaken;
    int x = 0;
    int y = above;
    for (Block part : parts) {
      if (x > 0) {
        row.railTo(part, x - GAP, y, x, y);
      }
      row.place(part, x, y - part.entry);
      y += part.exit - part.entry;
      x += part.width + GAP;
    }
    return row.corner(parts.getFirst().width, above - parts.getFirst().entry);
  }

  private static Block stack(List<Block> rows) {
    int widest = rows.stream().mapToInt(row -> row.width).max().orElse(0);
    int height = rows.stream().mapToInt(row -> row.height + ROW_GAP).sum() - ROW_GAP;
    int right = TURN + widest + TURN;
    Block last = rows.getLast();
    Block stack = new Block(right, height, rows.getFirst().entry, height - last.height + last.exit);
    stack.isSolid = rows.getFirst().isSolid;
    stack.ends = last.ends;
    stack.isTaken = rows.getFirst().isTaken;
    int y = 0;
    for (int i = 0; i < rows.size(); i++) {
      Block row = rows.get(i);
      int x = i == 0 ? 0 : TURN;
      stack.place(row, x, y);
      int from = x + row.width;
      int level = y + row.exit;
      y += row.height;
      if (i + 1 < rows.size()) {
        Block next = rows.get(i + 1);
        int turn = from + TURN;
        int between = y + ROW_GAP / 2;
        int into = y + ROW_GAP + next.entry;
        stack.railTo(
            next, from, level, turn, level, turn, between, 0, between, 0, into, TURN, into);
      } else if (!row.ends) {
        stack.rail(false, from, level, right, level);
      }
      y += ROW_GAP;
    }
    return stack;
  }

  /// Splits the blocks into the fewest rows that fit, of about equal length.
  private static List<List<Block>> split(List<Block> parts) {
    int total = parts.stream().mapToInt(part -> part.width + GAP).sum() - GAP;
    if (total <= WIDTH_MAX) {
      return List.of(parts);
    }
    int count = (total + WIDTH_MAX - 1) / WIDTH_MAX;
    int target = Math.min(WIDTH_MAX, total / count + WIDTH_MAX / 12);
    List<List<Block>> rows = new ArrayList<>();
    List<Block> row = new ArrayList<>();
    int width = -GAP;
    for (Block part : parts) {
      if (!row.isEmpty() && width + GAP + part.width > target) {
        rows.add(row);
        row = new ArrayList<>();
        width = -GAP;
      }
      row.add(part);
      width += GAP + part.width;
    }
    rows.add(row);
    return rows;
  }
}
