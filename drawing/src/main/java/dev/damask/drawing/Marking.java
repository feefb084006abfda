package dev.damask.drawing;

import dev.damask.drawing.Label.Font;
import dev.damask.drawing.Marks.Mark;
import dev.damask.drawing.Marks.State;
import dev.damask.drawing.Shape.Anchor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Draws marks over blocks.
final class Marking {
  /// The maximum number of number ranges in a badge; `4–6` is one.
  private static final int RUNS_SHOWN = 6;

  /// The height of a row of badges above a block.
  static final int ROOM = 24;

  private static final int NOTE_WIDTH = 200;

  private final Marks marks;
  private final Map<String, List<Integer>> steps = new HashMap<>();

  Marking(Marks marks) {
    this.marks = marks;
    for (Marks.Step step : marks.highlighted()) {
      List<Integer> numbers = steps.computeIfAbsent(step.path(), path -> new ArrayList<>());
      if (step.number() > 0) {
        numbers.add(step.number());
      }
    }
  }

  boolean isTaken(String graph, String from, String to) {
    return marks.arcs().contains(new Marks.Arc(graph, from, to));
  }

  /// The marks of a graph's node in addition to those of its body.
  ///
  /// @param numbers the numbers of the steps at its split
  record NodeMark(Mark mark, String numbers) {}

  NodeMark node(String path) {
    return new NodeMark(marks.at(path), numbers(steps.getOrDefault(path, List.of())));
  }

  /// Sets the path of a block and draws its marks. A note makes it larger.
  Block mark(Block block, String path) {
    return mark(block, path, marks.at(path), steps.get(path));
  }

  /// Draws the marks of a block that represents a term with all its parts.
  Block markAll(Block block, String path) {
    int tokens = 0;
    for (var entry : marks.byPath().tailMap(path).entrySet()) {
      if (!entry.getKey().startsWith(path)) {
        break;
      }
      tokens += entry.getValue().tokens();
    }
    Mark own = marks.at(path);
    List<Integer> numbers = null;
    for (var entry : steps.entrySet()) {
      if (entry.getKey().startsWith(path)) {
        numbers = numbers == null ? new ArrayList<>() : numbers;
        numbers.addAll(entry.getValue());
      }
    }
    if (numbers != null) {
      Collections.sort(numbers);
    }
    return mark(block, path, new Mark(tokens, own.state(), own.note()), numbers);
  }

  /// @param numbers the numbers of the steps here; null without a step
  private static Block mark(Block block, String path, Mark mark, @Nullable List<Integer> numbers) {
    block.path = path;
    if (mark.state() != null) {
      block.kind += " " + mark.state().name().toLowerCase(Locale.ROOT);
    }
    if (numbers != null) {
      block.kind += " way";
      block.isTaken = true;
    }
    String shown = numbers == null ? "" : numbers(numbers);
    int row = rowWidth(mark, shown);
    if (row == 0) {
      return mark.note().isEmpty() ? block : noted(block, mark.note());
    }
    boolean above = !block.hasRoom;
    int end = above ? Math.max(block.corner.x(), row) : block.corner.x();
    badges(block, mark, shown, end - 4, above ? -12 : block.corner.y());
    Block raised = above ? raised(block, row) : block;
    return mark.note().isEmpty() ? raised : noted(raised, mark.note());
  }

  /// Returns the width of a mark's badges in one row.
  static int rowWidth(Mark mark, String numbers) {
    int width = 0;
    width += mark.tokens() > 0 ? badgeWidth(Integer.toString(mark.tokens())) + 2 : 0;
    width += mark.state() != null ? 20 : 0;
    return width + (numbers.isEmpty() ? 0 : badgeWidth(numbers) + 2);
  }

  /// Draws the badges of a mark in one row that ends at x.
  static void badges(Block block, Mark mark, String numbers, int end, int y) {
    int x = end;
    if (mark.tokens() > 0) {
      x = badge(block, "token", x, y, Integer.toString(mark.tokens()));
    }
    if (mark.state() != null) {
      String word = mark.state().name().toLowerCase(Locale.ROOT);
      block.over.add(new Shape.Circle("state " + word + "-mark", x, y, 9));
      block.over.add(new Shape.Glyph("state-icon " + word + "-mark", x, y, glyph(mark.state())));
      x -= 20;
    }
    if (!numbers.isEmpty()) {
      badge(block, "step", x, y, numbers);
    }
  }

  /// Adds space above a block for its badges.
  private static Block raised(Block block, int row) {
    int width = Math.max(block.width, row + 4);
    Block raised = new Block(width, block.height + ROOM, block.entry + ROOM, block.exit + ROOM);
    raised.badges = row;
    raised.isSolid = block.isSolid;
    raised.isTaken = block.isTaken;
    raised.ends = block.ends;
    raised.corner(block.corner.x(), block.corner.y() + ROOM);
    raised.place(block, 0, ROOM);
    if (!block.ends) {
      raised.rail(false, block.width, raised.exit, width, raised.exit);
    }
    return raised;
  }

  private static String glyph(State state) {
    return switch (state) {
      case WAITING -> Glyphs.DOTS;
      case RUNNING -> Glyphs.PLAY;
      case DONE -> Glyphs.CHECK;
      case FAILED -> Glyphs.CROSS;
    };
  }

  /// Returns the numbers of steps, with three or more successive numbers as a range.
  private static String numbers(List<Integer> all) {
    List<String> runs = new ArrayList<>();
    int from = 0;
    for (int i = 0; i < all.size(); i++) {
      boolean isLast = i + 1 == all.size() || all.get(i + 1) != all.get(i) + 1;
      if (isLast) {
        int first = all.get(from);
        int last = all.get(i);
        runs.add(i == from ? "" + first : first + (last == first + 1 ? "," : "–") + last);
        from = i + 1;
      }
    }
    List<String> shown = runs.subList(0, Math.min(runs.size(), RUNS_SHOWN));
    return String.join(",", shown) + (runs.size() > RUNS_SHOWN ? ",…" : "");
  }

  /// Draws a round badge that ends at x and returns the end of the next one to the left.
  private static int badge(Block block, String style, int x, int y, String text) {
    Label label = Label.of(text, Font.SMALL);
    int width = badgeWidth(text);
    block.over.add(new Shape.Box(style, x + 9 - width, y - 9, width, 18, 9));
    block.over.add(new Shape.Text(style + "-text", x + 9 - width / 2, y + 4, Anchor.MIDDLE, label));
    return x - width - 2;
  }

  private static int badgeWidth(String text) {
    return Math.max(18, Label.of(text, Font.SMALL).width() + 10);
  }

  /// Adds a note below a block, in as many lines as necessary.
  static Block noted(Block block, String note) {
    List<Label> lines = Label.lines(note, Font.SMALL, NOTE_WIDTH);
    int widest = lines.stream().mapToInt(Label::width).max().orElse(0);
    int width = Math.max(block.width, widest);
    int room = 4 + 14 * lines.size();
    Block noted = new Block(width, block.height + room, block.entry, block.exit);
    noted.isSolid = block.isSolid;
    noted.isTaken = block.isTaken;
    noted.badges = block.badges;
    noted.ends = block.ends;
    noted.corner(block.corner.x(), block.corner.y());
    noted.place(block, 0, 0);
    if (!block.ends) {
      noted.rail(false, block.width, block.exit, width, block.exit);
    }
    for (int i = 0; i < lines.size(); i++) {
      int y = block.height + 14 * (i + 1);
      noted.text("note", width / 2, y, Anchor.MIDDLE, lines.get(i));
    }
    return noted.kind("noted");
  }
}
