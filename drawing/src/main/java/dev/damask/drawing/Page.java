package dev.damask.drawing;

import dev.damask.drawing.Label.Font;
import dev.damask.drawing.Shape.Anchor;
import dev.damask.term.Definition;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.Workflow;
import java.util.ArrayList;
import java.util.List;

/// The whole picture: a title, the body between start and end, the definitions, and small print.
final class Page {
  private static final int MARGIN = 28;
  private static final int DOT = 10;
  private static final int GAP = 30;
  private static final int LINE = 18;

  private final Workflow workflow;
  private final Layout layout;

  Page(Workflow workflow, Marks marks) {
    this.workflow = workflow;
    this.layout = new Layout(marks);
  }

  Block block() {
    List<Block> pieces = new ArrayList<>();
    pieces.add(title());
    pieces.add(between(TermPath.BODY, workflow.body()));
    for (Definition definition : workflow.definitions()) {
      pieces.add(heading(definition));
      pieces.add(between(TermPath.definition(definition.name()), definition.body()));
    }
    if (!workflow.places().isEmpty()) {
      List<String> places = workflow.places().stream().map(Wording::place).toList();
      pieces.add(smallPrint("places: " + String.join(", ", places)));
    }
    if (layout.hidden() > 0) {
      pieces.add(
          smallPrint("… stands for parts nested too deep to draw: " + layout.hidden() + " terms"));
    }
    int width = pieces.stream().mapToInt(piece -> piece.width).max().orElse(0);
    int height = pieces.stream().mapToInt(piece -> piece.height + LINE).sum() - LINE;
    Block page = new Block(width + 2 * MARGIN, height + 2 * MARGIN, 0);
    page.add(new Shape.Box("paper", 0, 0, page.width, page.height, 12));
    int y = MARGIN;
    for (Block piece : pieces) {
      page.place(piece, MARGIN, y);
      y += piece.height + LINE;
    }
    return page;
  }

  private Block title() {
    Label name = Label.of(workflow.name(), Font.TITLE, 600);
    String version = workflow.version().isEmpty() ? "" : "version " + workflow.version();
    Label small = Label.of(version, Font.SMALL);
    Block title = new Block(name.width() + 12 + small.width(), 24, 12);
    title.text("title", 0, 19, Anchor.START, name);
    return title.text("small", name.width() + 12, 19, Anchor.START, small);
  }

  private static Block heading(Definition definition) {
    Label name = Label.of(definition.name(), Font.NAME);
    Block heading = new Block(name.width() + 90, 30, 15);
    heading.text("small", 0, 26, Anchor.START, Label.of("definition", Font.SMALL));
    return heading.text("name", 66, 26, Anchor.START, name);
  }

  private static Block smallPrint(String words) {
    Label label = Label.of(words, Font.SMALL, 900);
    return new Block(label.width(), 16, 8).text("small", 0, 12, Anchor.START, label);
  }

  /// A body from where it starts to where it ends.
  private Block between(TermPath path, Term term) {
    Block body = layout.block(path, term);
    int left = 2 * DOT + GAP;
    int right = left + body.width + GAP;
    int top = Math.max(0, DOT + 2 - Math.min(body.entry, body.exit));
    int entry = top + body.entry;
    int exit = top + body.exit;
    int height = Math.max(top + body.height, Math.max(entry, exit) + DOT + 2);
    Block all = new Block(right + 2 * DOT + 2, height, entry, exit);
    all.add(new Shape.Circle("start", DOT, entry, DOT - 1));
    all.rail(body.isSolid, 2 * DOT - 1, entry, left, entry);
    all.place(body, left, top);
    if (!body.ends) {
      all.rail(true, left + body.width, exit, right, exit);
    }
    all.add(new Shape.Circle("end", right + DOT, exit, DOT));
    return all.add(new Shape.Circle("end-core", right + DOT, exit, DOT - 5));
  }
}
