package dev.damask.drawing;

import dev.damask.drawing.Label.Font;
import dev.damask.drawing.Shape.Anchor;
import dev.damask.term.Definition;
import dev.damask.term.Schedule;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The whole diagram: a title, the body between start and end, the definitions, and small print.
final class Page {
  private static final int MARGIN = 28;
  private static final int DOT = 10;
  private static final int GAP = 30;
  private static final int LINE = 18;

  private final WorkflowDefinition workflow;
  private final Layout layout;
  private final @Nullable Schedule schedule; // null if cases do not start by themselves

  Page(WorkflowDefinition workflow, Marks marks, @Nullable Schedule schedule) {
    this.workflow = workflow;
    this.schedule = schedule;
    this.layout = new Layout(marks);
  }

  Block block() {
    List<Block> pieces = new ArrayList<>();
    pieces.add(title());
    pieces.add(between(TermPath.BODY, workflow.body(), schedule != null));
    for (Definition definition : workflow.definitions()) {
      pieces.add(heading(definition));
      pieces.add(between(TermPath.definition(definition.name()), definition.body(), false));
    }
    if (schedule != null) {
      pieces.add(smallPrint("schedule: " + Captions.schedule(schedule)));
    }
    keys("input", workflow.declared().inputKeys(), pieces);
    keys("output", workflow.declared().outputKeys(), pieces);
    if (!workflow.places().isEmpty()) {
      List<String> places = workflow.places().stream().map(Captions::place).toList();
      pieces.add(smallPrint("places: " + String.join(", ", places)));
    }
    if (!workflow.attributes().isEmpty()) {
      List<String> names = workflow.attributes().stream().map(Captions::attribute).toList();
      pieces.add(smallPrint("attributes: " + String.join(", ", names)));
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

  private static void keys(String what, List<String> keys, List<Block> pieces) {
    if (!keys.isEmpty()) {
      pieces.add(smallPrint(what + ": " + String.join(", ", keys)));
    }
  }

  private Block title() {
    String shown = isSteps() ? graphName() : workflow.name();
    Label name = Label.of(shown, Font.TITLE, 600);
    if (isSteps()) {
      Label hash = Label.of("hash " + shortened(workflow.version()), Font.SMALL);
      Block both = new Block(Math.max(name.width(), hash.width()), 40, 12);
      both.text("title", 0, 19, Anchor.START, name);
      return both.text("small", 0, 36, Anchor.START, hash);
    }
    String version = workflow.version().isEmpty() ? "" : "version " + workflow.version();
    Label small = Label.of(version, Font.SMALL);
    Block title = new Block(name.width() + 12 + small.width(), 24, 12);
    title.text("title", 0, 19, Anchor.START, name);
    return title.text("small", name.width() + 12, 19, Anchor.START, small);
  }

  private boolean isSteps() {
    return workflow.body() instanceof Term.Processes;
  }

  /// Returns the id of a graph, which the workflow's name contains between a prefix and the start
  /// of its hash.
  private String graphName() {
    String name = workflow.name();
    int from = name.startsWith("graph.") ? "graph.".length() : 0;
    int hash = name.lastIndexOf('.');
    return hash > from ? name.substring(from, hash) : name;
  }

  private static String shortened(String hash) {
    return hash.length() > 16 ? hash.substring(0, 16) + "…" : hash;
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

  /// Draws a body between its start and its end.
  ///
  /// @param isTimed whether the start shows a clock
  private Block between(TermPath path, Term term, boolean isTimed) {
    Block body = layout.block(path, term);
    int left = 2 * DOT + GAP;
    int right = left + body.width + GAP;
    int top = Math.max(0, DOT + 2 - Math.min(body.entry, body.exit));
    int entry = top + body.entry;
    int exit = top + body.exit;
    int height = Math.max(top + body.height, Math.max(entry, exit) + DOT + 2);
    Block all = new Block(right + 2 * DOT + 2, height, entry, exit);
    all.add(new Shape.Circle(isTimed ? "event" : "start", DOT, entry, DOT - 1));
    if (isTimed) {
      all.add(new Shape.Glyph("icon", DOT, entry, Glyphs.CLOCK));
    }
    all.railTo(body, 2 * DOT - 1, entry, left, entry);
    all.place(body, left, top);
    if (!body.ends) {
      all.rail(true, left + body.width, exit, right, exit);
    }
    all.add(new Shape.Circle("end", right + DOT, exit, DOT));
    return all.add(new Shape.Circle("end-core", right + DOT, exit, DOT - 5));
  }
}
