package dev.damask.drawing;

import dev.damask.drawing.Label.Font;
import dev.damask.drawing.Shape.Anchor;
import dev.damask.task.ChildTemplate;
import dev.damask.task.Expression;
import dev.damask.term.Alternative;
import dev.damask.term.StepFunction;
import dev.damask.term.Term;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Draws the smallest blocks: tasks, events, calls, and the shapes of splits.
final class Leaves {
  private static final int BOX = 40;
  private static final int PAD = 14;
  private static final int LINE = 15;
  private static final int WIDTH_MIN = 64;

  private Leaves() {}

  /// Draws a task, with the block of its undo if it has one.
  static Block task(Term.Task task, @Nullable Block undo) {
    boolean isEffect = task.work() instanceof Term.Work.Effect;
    String text = task.work() instanceof Term.Work.Pure(var function, var words) ? words : "";
    if (isSkip(task) && undo == null) {
      return Block.straight(16).kind("skip");
    }
    if (task.name().isEmpty() && text.startsWith("fail ")) {
      Label reason = Label.of("fail: " + text.substring(5), Font.NAME);
      return box("box", reason, "name", List.of(), null).kind("task fail").ends(true);
    }
    if (task.work() instanceof Term.Work.Pure(StepFunction step, var words)) {
      return step(task.name(), step);
    }
    if (task.work() instanceof Term.Work.Effect(ChildTemplate child, _)) {
      return child(task, child);
    }
    List<Shown> lines = new ArrayList<>();
    if (!task.name().isEmpty() && !text.isEmpty() && isTelling(task.name(), text)) {
      lines.add(new Shown("code", Label.of(assignment(text), Font.CODE)));
    }
    options(task, lines);
    Block line = undo != null && isOneLine(task) && !isMarked(undo) ? line(task, undo) : null;
    boolean isNamed = !task.name().isEmpty();
    Label label = isNamed ? Label.of(task.name(), Font.NAME) : code(assignment(text));
    Block block = box("box", label, isNamed ? "name" : "code", lines, line);
    block.kind(isEffect ? "task effect" : "task pure");
    return undo == null || line != null
        ? block
        : Frames.attach(block, List.of(new Frames.Attached("undo", Glyphs.UNDO, false, undo)))
            .kind("undoable");
  }

  /// Draws a task that starts a child case: a box in a box.
  private static Block child(Term.Task task, ChildTemplate child) {
    List<Shown> lines = new ArrayList<>();
    String what =
        task.name().equals(child.workflow()) ? "child case" : "child case of " + child.workflow();
    String shown = child.isDetached() ? what + " · detached" : what;
    lines.add(new Shown("small", Label.of(shown, Font.SMALL)));
    if (child.id() != null) {
      lines.add(new Shown("code", Label.of("id " + child.id().text(), Font.CODE)));
    }
    if (!child.arguments().isEmpty()) {
      lines.add(with(child.arguments()));
    }
    options(task, lines);
    Block block = box("box", Label.of(task.name(), Font.NAME), "name", lines, null);
    block.line("edge", false, 0, 4, block.width, 4);
    block.line("edge", false, 0, block.height - 4, block.width, block.height - 4);
    return block.kind("task effect child");
  }

  /// Draws a step of a graph. The retries of its calls are the same for all steps and are not
  /// shown.
  private static Block step(String name, StepFunction step) {
    List<Shown> lines = new ArrayList<>();
    step.notes().forEach(note -> lines.add(new Shown("small", Label.of(note, Font.SMALL))));
    return box("box", Label.of(name, Font.NAME), "name", lines, null).kind("task pure");
  }

  static boolean isSkip(Term term) {
    return term instanceof Term.Task task
        && task.name().isEmpty()
        && task.work() instanceof Term.Work.Pure(var function, var text)
        && text.equals("skip");
  }

  /// Returns whether the task and its undo fit into one box.
  static boolean isOneLine(Term.Task task) {
    return task.undo() == null || (task.undo() instanceof Term.Task undo && undo.undo() == null);
  }

  private static boolean isMarked(Block block) {
    return !block.over.isEmpty() || block.kind.equals("noted");
  }

  /// Draws an alternative of a `defer` as a capsule on the rail.
  static Block event(Alternative alternative) {
    String glyph =
        switch (alternative) {
          case Alternative.Take take -> Glyphs.ENVELOPE;
          case Alternative.Test test -> Glyphs.EYE;
          case Alternative.After after -> Glyphs.CLOCK;
          case Alternative.Expired expired -> Glyphs.HOURGLASS;
        };
    return capsule("event", glyph, Label.of(Captions.event(alternative), Font.SMALL)).kind("wait");
  }

  static Block emit(Term.Emit emit) {
    String payload =
        emit.payload().isEmpty() ? "" : " {" + String.join(", ", emit.payload().keySet()) + "}";
    Label label = Label.of("emit " + emit.place() + payload, Font.SMALL);
    return capsule("sent", Glyphs.ENVELOPE, label).kind("emit");
  }

  static Block kill(Term.Kill kill) {
    boolean ends = kill.outcome() != Term.Kill.Outcome.WITHDRAW;
    Label label = Label.of(Captions.kill(kill) + " " + kill.name(), Font.SMALL);
    int width = Math.max(28, label.width());
    int middle = width / 2;
    Block block = new Block(width, 46, 14).kind(ends ? "kill complete" : "kill");
    block.rail(true, 0, 14, middle - 14, 14).rail(false, middle + 14, 14, width, 14);
    block.add(new Shape.Circle("ring", middle, 14, 14));
    block.add(new Shape.Glyph("icon", middle, 14, ends ? Glyphs.CHECK : Glyphs.CROSS));
    block.text("small", middle, 42, Anchor.MIDDLE, label);
    return block.corner(middle + 12, 4);
  }

  static Block call(Term.Call call) {
    Label label = Label.of(call.definition(), Font.NAME);
    List<Shown> lines = new ArrayList<>();
    if (call.arguments() != null) {
      lines.add(with(call.arguments()));
    }
    if (call.result() != null) {
      lines.add(new Shown("small", Label.of("result " + call.result(), Font.SMALL)));
    }
    Block block = box("box", label, "name", lines, null).kind("call");
    block.line("edge", false, 6, 0, 6, block.height);
    return block.line("edge", false, block.width - 6, 0, block.width - 6, block.height);
  }

  /// Draws the placeholder of parts that are nested too deeply to be drawn.
  static Block hidden(int terms) {
    String full = terms + (terms == 1 ? " term" : " terms") + " nested too deep to be drawn";
    return box("box", new Label("…", full, 16), "name", List.of(), null).kind("hidden");
  }

  /// Draws a node with an empty body, or a missing node that a graph refers to.
  static Block plain(String kind, String name) {
    return box("box", Label.of(name, Font.SMALL), "small", List.of(), null).kind(kind);
  }

  static Block diamond(String sign) {
    int half = Branches.GATE / 2;
    int full = Branches.GATE;
    Block block = new Block(full, full, half).solid().kind("gateway");
    block.line("diamond", false, half, 0, full, half, half, full, 0, half, half, 0);
    return block.text("sign", half, half + 4, Anchor.MIDDLE, Label.of(sign, Font.SMALL));
  }

  static Block race() {
    int half = Branches.GATE / 2;
    Block block = new Block(Branches.GATE, Branches.GATE, half).solid().kind("gateway");
    block.add(new Shape.Circle("event", half, half, half));
    return block.add(new Shape.Circle("event", half, half, half - 4));
  }

  static Block ring(String sign) {
    int half = Branches.GATE / 2;
    Block block = new Block(Branches.GATE, Branches.GATE, half).solid().kind("gateway");
    block.add(new Shape.Circle("gate", half, half, half));
    return block.text("sign", half, half + 4, Anchor.MIDDLE, Label.of(sign, Font.SMALL));
  }

  private static void options(Term.Task task, List<Shown> lines) {
    Captions.options(task.options())
        .forEach(text -> lines.add(new Shown("small", Label.of(text, Font.SMALL))));
  }

  private static Shown with(Map<String, Expression> arguments) {
    List<String> all = new ArrayList<>();
    arguments.forEach((key, value) -> all.add(key + ": " + value.text()));
    return new Shown("code", Label.of("with " + String.join(", ", all), Font.CODE));
  }

  private record Shown(String style, Label label) {}

  private static Block box(
      String style, Label label, String labelStyle, List<Shown> lines, @Nullable Block last) {
    int count = lines.size() + (last == null ? 0 : 1);
    int inner = Math.max(label.width(), last == null ? 0 : last.width);
    inner = Math.max(inner, lines.stream().mapToInt(l -> l.label().width()).max().orElse(0));
    int width = Math.max(WIDTH_MIN, inner + 2 * PAD);
    width += width % 2;
    int height = BOX + (count == 0 ? 0 : LINE * count - 2);
    height += height % 2;
    Block block = new Block(width, height, height / 2).solid();
    block.box(style, 0, 0, width, height);
    int y = count == 0 ? BOX / 2 + 5 : 21;
    block.text(labelStyle, width / 2, y, Anchor.MIDDLE, label);
    for (Shown line : lines) {
      y += LINE;
      block.text(line.style(), width / 2, y, Anchor.MIDDLE, line.label());
    }
    return last == null ? block : block.place(last, (width - last.width) / 2, y + 3);
  }

  /// Draws the undo of a task as a line in the box, if the undo is a task itself.
  private static Block line(Term.Task task, Block block) {
    String name = task.undo() instanceof Term.Task undo ? undo.name() : "";
    name = name.isEmpty() ? "undo" : name;
    Label label = Label.of(name.startsWith("undo") ? name : "undo: " + name, Font.SMALL);
    Block line = new Block(label.width() + 16, LINE, LINE / 2).kind("undo");
    line.add(new Shape.Glyph("icon", 6, 8, Glyphs.UNDO));
    line.text("small", 16, 12, Anchor.START, label);
    line.path = block.path;
    return line;
  }

  private static Block capsule(String style, String glyph, Label label) {
    int width = label.width() + 42;
    Block block = new Block(width, 28, 14).solid();
    block.add(new Shape.Box(style, 0, 0, width, 28, 14));
    block.add(new Shape.Glyph("icon", 17, 14, glyph));
    return block.text("small", 29, 18, Anchor.START, label);
  }

  private static Label code(String text) {
    return Label.of(text, Font.CODE);
  }

  private static boolean isTelling(String name, String text) {
    return !text.equals(name) && !text.equals("skip");
  }

  private static String assignment(String text) {
    return text.replace(":=", " := ").replace(";", "; ");
  }
}
