package dev.damask.drawing;

import dev.damask.term.Alternative;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Lays out a term as a block. The terms are listed, each before its parts, and laid out from the
/// end of the list, so that deep nesting cannot overflow the stack.
final class Layout {
  /// The maximum nesting of terms. A sequence has no frame and does not count.
  static final int NESTING_MAX = 16;

  /// The maximum nesting of terms including sequences.
  static final int DEPTH_MAX = 200;

  private final Marking marking;
  private int hidden;

  Layout(Marks marks) {
    this.marking = new Marking(marks);
  }

  /// Returns the number of terms that are nested too deeply to be drawn.
  int hidden() {
    return hidden;
  }

  Block block(TermPath path, Term root) {
    List<Step> steps = steps(path, root);
    for (int i = steps.size() - 1; i >= 0; i--) {
      Step step = steps.get(i);
      step.block = step.isHidden() ? hide(step) : marking.mark(taken(step), step.path.toString());
      if (step.parent != null) {
        step.parent.parts[step.index] = step.block;
      }
    }
    return steps.getFirst().done();
  }

  /// One term during the layout.
  private static final class Step {
    final TermPath path;
    final Term term;
    final @Nullable Step parent; // null at the root
    final int index;
    final int depth;
    final int nesting;
    final Block[] parts;
    @Nullable Block block; // null until it is laid out

    Step(TermPath path, Term term, @Nullable Step parent, int index) {
      this.path = path;
      this.term = term;
      this.parent = parent;
      this.index = index;
      this.depth = parent == null ? 0 : parent.depth + 1;
      int outer = parent == null ? 0 : parent.nesting;
      this.nesting = term instanceof Term.Seq ? outer : outer + 1;
      this.parts = new Block[isHidden() ? 0 : TermWalker.parts(term).size()];
    }

    boolean isHidden() {
      return nesting > NESTING_MAX || depth > DEPTH_MAX;
    }

    Block part(int part) {
      return parts[part];
    }

    List<Block> all() {
      return Arrays.asList(parts);
    }

    Block done() {
      if (block == null) {
        throw new IllegalStateException("not laid out: " + path);
      }
      return block;
    }
  }

  private static List<Step> steps(TermPath path, Term root) {
    List<Step> steps = new ArrayList<>();
    Deque<Step> open = new ArrayDeque<>();
    open.push(new Step(path, root, null, 0));
    while (!open.isEmpty()) {
      Step step = open.pop();
      steps.add(step);
      if (!step.isHidden()) {
        List<TermWalker.Part> parts = TermWalker.parts(step.term);
        for (int i = parts.size() - 1; i >= 0; i--) {
          TermWalker.Part part = parts.get(i);
          open.push(new Step(step.path.then(part.step()), part.term(), step, i));
        }
      }
    }
    return steps;
  }

  private Block hide(Step step) {
    int[] count = {0};
    TermWalker.walk(step.path, step.term, (path, term) -> count[0]++);
    hidden += count[0];
    return marking.markAll(Leaves.hidden(count[0]), step.path.toString());
  }

  /// Marks a block as highlighted if the highlighted path passes one of its parts.
  private Block taken(Step step) {
    Block block = compose(step);
    for (Block part : step.parts) {
      block.isTaken |= part.isTaken;
    }
    return block;
  }

  private Block compose(Step step) {
    return switch (step.term) {
      case Term.Task task -> Leaves.task(task, step.parts.length == 0 ? null : step.part(0));
      case Term.Seq seq -> Rows.of(step.all()).kind("seq");
      case Term.Par(var branches, var merge) ->
          Branches.fork(Captions.fork(merge), none(branches.size()), step.all()).kind("par");
      case Term.Join(var policy, var branches) ->
          Branches.fork(Captions.join(policy, branches.size()), guards(branches), step.all())
              .kind("join");
      case Term.Xor(var choices) -> xor(choices, step);
      case Term.Loop(LoopPolicy.Until until, var body) ->
          Loops.after(Captions.loop(until), step.part(0)).kind("loop");
      case Term.Loop(var policy, var body) ->
          Loops.before(Captions.loop(policy), step.part(0)).kind("loop");
      case Term.Defer(var alternatives) -> defer(alternatives, step);
      case Term.Cancel cancel -> scope(cancel, step);
      case Term.Mi(var name, var policy, var body) ->
          Frames.frame("frame", name, Captions.instances(policy), 2, step.part(0)).kind("mi");
      case Term.Emit emit -> Leaves.emit(emit);
      case Term.Kill kill -> Leaves.kill(kill);
      case Term.Call call -> Leaves.call(call);
      case Term.Graph graph -> {
        Graphs.Marked marked = new Graphs.Marked(marking, step.path.toString());
        yield Graphs.of(graph, step.all(), step.parent != null, marked);
      }
      case Term.Processes(var steps) ->
          Graphs.of(ProcessPicture.of(steps), step.all(), step.parent != null, null)
              .kind("processes");
    };
  }

  private static Block xor(List<Term.Choice> choices, Step step) {
    boolean isFree = choices.getFirst().guard() == null;
    return Branches.gate(Leaves.diamond(isFree ? "?" : ""), guards(choices), step.all())
        .kind("xor");
  }

  private static Block defer(List<Alternative> alternatives, Step step) {
    List<Block> ways = new ArrayList<>();
    for (int i = 0; i < alternatives.size(); i++) {
      Block event = Leaves.event(alternatives.get(i));
      ways.add(Rows.of(event, step.part(i)).kind("alternative"));
    }
    return ways.size() == 1
        ? ways.getFirst().kind("defer")
        : Branches.gate(Leaves.race(), none(ways.size()), ways).kind("defer");
  }

  private static Block scope(Term.Cancel cancel, Step step) {
    Block frame =
        Frames.frame("frame", cancel.name(), Captions.scope(cancel), 0, step.part(0)).kind("scope");
    List<Frames.Attached> attached = new ArrayList<>();
    int next = 1;
    if (cancel.options().handler() != null) {
      attached.add(new Frames.Attached("catch", Glyphs.BOLT, true, step.part(next++)));
    }
    if (cancel.options().onTimeout() != null) {
      attached.add(new Frames.Attached("on timeout", Glyphs.CLOCK, true, step.part(next)));
    }
    Block all = Frames.attach(frame, attached);
    return all == frame ? all : all.kind("guarded");
  }

  private static List<Label> guards(List<Term.Choice> choices) {
    return choices.stream().map(c -> Label.of(Captions.choice(c), Label.Font.CODE)).toList();
  }

  private static List<Label> none(int count) {
    return java.util.Collections.nCopies(count, Label.NONE);
  }
}
