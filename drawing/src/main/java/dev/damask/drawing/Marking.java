package dev.damask.drawing;

import dev.damask.drawing.Label.Font;
import dev.damask.drawing.Marks.Mark;
import dev.damask.drawing.Marks.State;
import dev.damask.drawing.Shape.Anchor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Lays marks over blocks.
final class Marking {
  private static final int STEPS_SHOWN = 3;

  private final Marks marks;
  private final Map<String, List<Integer>> steps = new HashMap<>();

  Marking(Marks marks) {
    this.marks = marks;
    for (int i = 0; i < marks.highlighted().size(); i++) {
      steps.computeIfAbsent(marks.highlighted().get(i), path -> new ArrayList<>()).add(i + 1);
    }
  }

  /// Gives a block its path and what is known about it. A note makes it larger.
  Block mark(Block block, String path) {
    return mark(block, path, marks.at(path), steps.getOrDefault(path, List.of()));
  }

  /// The same for a block that stands for a term and everything in it.
  Block markAll(Block block, String path) {
    int tokens = 0;
    for (var entry : marks.byPath().tailMap(path).entrySet()) {
      if (!entry.getKey().startsWith(path)) {
        break;
      }
      tokens += entry.getValue().tokens();
    }
    Mark own = marks.at(path);
    List<Integer> numbers =
        steps.entrySet().stream()
            .filter(entry -> entry.getKey().startsWith(path))
            .flatMap(entry -> entry.getValue().stream())
            .sorted()
            .toList();
    return mark(block, path, new Mark(tokens, own.state(), own.note()), numbers);
  }

  private static Block mark(Block block, String path, Mark mark, List<Integer> numbers) {
    block.path = path;
    if (mark.state() != null) {
      block.kind += " " + mark.state().name().toLowerCase(Locale.ROOT);
    }
    if (!numbers.isEmpty()) {
      block.kind += " way";
    }
    int x = block.corner.x() - 4;
    int y = block.corner.y();
    if (mark.tokens() > 0) {
      x = badge(block, "token", x, y, Integer.toString(mark.tokens()));
    }
    if (mark.state() != null) {
      block.over.add(new Shape.Circle("state", x, y, 9));
      block.over.add(new Shape.Glyph("state-icon", x, y, glyph(mark.state())));
      x -= 20;
    }
    if (!numbers.isEmpty()) {
      badge(block, "step", x, y, numbers(numbers));
    }
    return mark.note().isEmpty() ? block : noted(block, mark.note());
  }

  private static String glyph(State state) {
    return switch (state) {
      case WAITING -> Glyphs.DOTS;
      case RUNNING -> Glyphs.PLAY;
      case DONE -> Glyphs.CHECK;
      case FAILED -> Glyphs.CROSS;
    };
  }

  private static String numbers(List<Integer> all) {
    List<String> shown = all.stream().limit(STEPS_SHOWN).map(String::valueOf).toList();
    return String.join(",", shown) + (all.size() > STEPS_SHOWN ? ",…" : "");
  }

  /// Draws a round badge that ends at x and returns where the next one to the left ends.
  private static int badge(Block block, String style, int x, int y, String text) {
    Label label = Label.of(text, Font.SMALL);
    int width = Math.max(18, label.width() + 10);
    block.over.add(new Shape.Box(style, x + 9 - width, y - 9, width, 18, 9));
    block.over.add(new Shape.Text(style + "-text", x + 9 - width / 2, y + 4, Anchor.MIDDLE, label));
    return x - width - 2;
  }

  private static Block noted(Block block, String note) {
    Label label = Label.of(note, Font.SMALL);
    int width = Math.max(block.width, label.width());
    Block noted = new Block(width, block.height + 18, block.entry, block.exit);
    noted.isSolid = block.isSolid;
    noted.ends = block.ends;
    noted.corner(block.corner.x(), block.corner.y());
    noted.place(block, 0, 0);
    if (!block.ends) {
      noted.rail(false, block.width, block.exit, width, block.exit);
    }
    return noted.text("note", width / 2, block.height + 14, Anchor.MIDDLE, label).kind("noted");
  }
}
