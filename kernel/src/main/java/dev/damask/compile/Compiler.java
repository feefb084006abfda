package dev.damask.compile;

import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.program.Code;
import dev.damask.program.ConstructTree;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.Millis;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Merge;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.WorkflowDefinition;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Turns a workflow into a program in one pass, in time linear in its size.
///
/// It does not recurse: pending work is on its own stack, so deep nesting costs memory only.
public final class Compiler {
  private final WorkflowDefinition workflow;
  private final Emitter emitter = new Emitter();
  private final Symbols symbols = new Symbols();
  private final Deque<Runnable> work = new ArrayDeque<>();
  private final Map<String, Integer> entryIndex = new HashMap<>();
  private final List<Undo> undos = new ArrayList<>();
  private int definition = -1;
  private int loopDepth;
  private int loopSlots;
  private boolean stamps;

  /// An undo term that is compiled out of line, after everything else.
  private record Undo(TermPath path, Term term, JumpTarget label, int task, int definition) {}

  private Compiler(WorkflowDefinition workflow) {
    this.workflow = workflow;
  }

  /// Compiles a workflow that the check finds no error in; refuses any other with its diagnostics.
  public static Program compile(WorkflowDefinition workflow) {
    return compile(workflow, TermCheck.check(workflow), Diagnostic::isError);
  }

  /// Compiles a workflow that was checked before; refuses diagnostics that the predicate accepts.
  public static Program compile(
      WorkflowDefinition workflow, List<Diagnostic> found, Predicate<Diagnostic> wrong) {
    List<Diagnostic> errors = found.stream().filter(wrong).toList();
    if (!errors.isEmpty()) {
      throw new IllegalArgumentException(Diagnostic.describe(workflow.name(), errors));
    }
    return new Compiler(workflow).run();
  }

  private Program run() {
    workflow.places().forEach(symbols::declare);
    List<Definition> definitions = workflow.definitions();
    List<JumpTarget> labels = new ArrayList<>();
    List<Integer> units = new ArrayList<>();
    for (int i = 0; i < definitions.size(); i++) {
      declare(i, definitions.get(i), labels, units);
    }

    symbols.openUnit();
    body(TermPath.BODY, workflow.body(), Code.DONE);
    symbols.closeUnit();
    for (int i = 0; i < definitions.size(); i++) {
      Definition each = definitions.get(i);
      units.add(symbols.openUnit());
      definition = i;
      emitter.place(labels.get(i));
      emitter.constructs.begin(ConstructTree.Place.DEFINITION, i);
      body(TermPath.definition(each.name()), each.body(), Code.RET);
      symbols.closeUnit();
    }
    compileUndos();

    int[] raw = emitter.code();
    Program.Pools pools = emitter.pools(symbols, loopSlots, stamps);
    Program.Image image = new Program.Image(raw, pools, 0);
    return new Program(
        workflow.name(),
        workflow.version(),
        workflow.mode(),
        workflow.context(),
        workflow.limits(),
        image,
        Optimiser.optimise(image),
        emitter.source(),
        emitter.constructs.build(),
        ProgramHash.of(
            workflow.name(), workflow.mode(), workflow.context(), workflow.limits(), raw, pools),
        workflow.declared());
  }

  private void declare(int index, Definition each, List<JumpTarget> labels, List<Integer> units) {
    JumpTarget label = new JumpTarget();
    labels.add(label);
    entryIndex.put(each.name(), index);
    for (int slot = 0; slot < each.places().size(); slot++) {
      symbols.declareLocal(each.places().get(slot), index, slot);
    }
    emitter.entries.add(
        () -> new Pool.Entry(each.name(), units.get(index), label.address(), each.places().size()));
  }

  /// Compiles one body whose tokens start with fresh loop counters, and what ends it.
  private void body(TermPath path, Term term, int end) {
    loopDepth = 0;
    visit(path, term);
    while (!work.isEmpty()) {
      work.pop().run();
    }
    emitter.emit(path, end);
  }

  /// Undo terms may have tasks with undo terms of their own; the list grows while it is read.
  private void compileUndos() {
    for (int i = 0; i < undos.size(); i++) {
      Undo undo = undos.get(i);
      definition = undo.definition();
      emitter.place(undo.label());
      emitter.constructs.begin(ConstructTree.Place.UNDO, undo.task());
      symbols.openUnit();
      body(undo.path(), undo.term(), Code.DONE);
      symbols.closeUnit();
    }
  }

  /// Does the items in the order given, before anything that was planned earlier.
  private void next(Runnable... items) {
    for (int i = items.length - 1; i >= 0; i--) {
      work.push(items[i]);
    }
  }

  private void visit(TermPath path, Term term) {
    switch (term) {
      case Term.Task task -> task(path, task);
      case Term.Seq(var parts) -> seq(path, parts);
      case Term.Par(var branches, var merge) -> {
        List<Term.Choice> choices =
            branches.stream().map(b -> new Term.Choice(null, false, b)).toList();
        fork(path, ".par", JoinPolicy.all().withMerge(merge), choices);
      }
      case Term.Join(var policy, var branches) -> fork(path, ".branches", policy, branches);
      case Term.Xor(var choices) -> xor(path, choices);
      case Term.Loop(var policy, var body) -> loop(path, policy, body);
      case Term.Defer(var alternatives) -> defer(path, alternatives);
      case Term.Cancel cancel -> cancel(path, cancel);
      case Term.Mi(var name, var policy, var body) -> instances(path, name, policy, body);
      case Term.Emit emit -> emit(path, emit);
      case Term.Kill(var name, var outcome) -> {
        int target = name.equals("case") ? -1 : symbols.name(name);
        emitter.emit(path, Code.KILL, Emitter.add(emitter.kills, new Pool.Kill(target, outcome)));
      }
      case Term.Call call -> emitter.call(path, call, entry(call.definition()));
      case Term.Graph graph -> graph(path, graph);
      case Term.Processes(var steps) -> new GroupBuilder(emitter, path, steps).emit();
    }
  }

  /// The definition of a name, which the check has found to exist.
  private int entry(String name) {
    return Objects.requireNonNull(entryIndex.get(name));
  }

  private void task(TermPath path, Term.Task task) {
    JumpTarget undo = null;
    if (task.undo() != null) {
      undo = new JumpTarget();
      int own = emitter.tasks.size();
      undos.add(new Undo(path.then(".undo"), task.undo(), undo, own, definition));
    }
    JumpTarget undoLabel = undo;
    int index =
        Emitter.add(
            emitter.tasks, () -> taskEntry(task, undoLabel == null ? -1 : undoLabel.address()));
    boolean pure = task.work() instanceof Term.Work.Pure;
    emitter.emit(path, pure ? Code.TASK_EXEC : Code.EFFECT_YIELD, index);
  }

  static Pool.Task taskEntry(Term.Task task, int undo) {
    return switch (task.work()) {
      case Term.Work.Pure(var function, var text) ->
          new Pool.Task(task.name(), text, function, null, null, task.options(), undo);
      case Term.Work.Effect(var template, var handler) ->
          new Pool.Task(
              task.name(), template.text(), null, template, handler, task.options(), undo);
    };
  }

  private void seq(TermPath path, List<Term> parts) {
    emitter.emit(path, Code.SEQ_ENTER);
    for (int i = parts.size() - 1; i >= 0; i--) {
      int part = i;
      next(() -> {
        TermPath here = path.then("[" + part + "]");
        if (part > 0) {
          JumpTarget label = new JumpTarget();
          emitter.emitTo(path, label, Code.SEQ_NEXT);
          emitter.place(label);
        }
        visit(here, parts.get(part));
      });
    }
  }

  private void fork(TermPath path, String step, JoinPolicy policy, List<Term.Choice> branches) {
    JumpTarget[] targets = JumpTarget.several(branches.size());
    JumpTarget continuation = new JumpTarget();
    int index =
        Emitter.add(
            emitter.forks,
            () ->
                new Pool.Fork(
                    JumpTarget.addresses(targets),
                    guards(branches),
                    otherwise(branches),
                    policy,
                    continuation.address()));
    emitter.emit(path, Code.PAR_FORK, index);
    int outerDepth = loopDepth;
    next(() -> {
      loopDepth = outerDepth;
      emitter.place(continuation);
      emitter.emit(path, Code.JOIN_WAIT, index);
    });
    for (int i = branches.size() - 1; i >= 0; i--) {
      int branch = i;
      next(
          () -> {
            loopDepth = 0;
            emitter.place(targets[branch]);
            visit(path.then(step + "[" + branch + "]"), branches.get(branch).then());
          },
          () -> emitter.emit(path, Code.DONE));
    }
  }

  private void xor(TermPath path, List<Term.Choice> choices) {
    JumpTarget[] targets = JumpTarget.several(choices.size());
    JumpTarget end = new JumpTarget();
    int index =
        Emitter.add(
            emitter.choices,
            () ->
                new Pool.Choice(
                    JumpTarget.addresses(targets), guards(choices), otherwise(choices)));
    emitter.emit(path, Code.XOR_CHOOSE, index);
    next(() -> emitter.place(end));
    for (int i = choices.size() - 1; i >= 0; i--) {
      int choice = i;
      boolean last = i == choices.size() - 1;
      next(
          () -> {
            emitter.place(targets[choice]);
            visit(path.then(".xor[" + choice + "]"), choices.get(choice).then());
          },
          () -> {
            if (!last) {
              emitter.emitTo(path, end, Code.SEQ_NEXT);
            }
          });
    }
  }

  private void loop(TermPath path, LoopPolicy policy, Term body) {
    JumpTarget head = new JumpTarget();
    JumpTarget exit = new JumpTarget();
    emitter.place(head);
    Runnable visitBody = () -> visit(path.then(".do"), body);
    Runnable back =
        () -> {
          emitter.emitTo(path, head, Code.LOOP_BACK);
          emitter.place(exit);
        };
    switch (policy) {
      case LoopPolicy.While(var guard) -> {
        check(path, Code.LOOP_WHILE, Emitter.add(emitter.guards, guard), 0, exit);
        next(visitBody, back);
      }
      case LoopPolicy.Until(var guard) ->
          next(
              visitBody,
              () -> check(path, Code.LOOP_UNTIL, Emitter.add(emitter.guards, guard), 0, exit),
              back);
      case LoopPolicy.Count(var count) -> {
        int slot = loopDepth++;
        loopSlots = Math.max(loopSlots, loopDepth);
        check(path, Code.LOOP_COUNT, Emitter.add(emitter.expressions, count), slot, exit);
        next(visitBody, back, () -> loopDepth = slot);
      }
    }
  }

  private void check(TermPath path, int kind, int index, int slot, JumpTarget exit) {
    emitter.emitTo(path, exit, Code.LOOP_CHECK, kind, index, slot);
  }

  private void defer(TermPath path, List<Alternative> alternatives) {
    JumpTarget[] targets = JumpTarget.several(alternatives.size());
    JumpTarget end = new JumpTarget();
    int here = definition;
    int index =
        Emitter.add(
            emitter.awaits,
            () -> {
              List<Pool.Alternative> entries = new ArrayList<>();
              for (int i = 0; i < targets.length; i++) {
                entries.add(alternative(alternatives.get(i), targets[i].address(), here));
              }
              return new Pool.Await(List.copyOf(entries));
            });
    for (Alternative alternative : alternatives) {
      alternative(alternative, 0, here); // declares the places in the order they are written
    }
    emitter.emit(path, Code.AWAIT, index);
    next(() -> emitter.place(end));
    for (int i = targets.length - 1; i >= 0; i--) {
      int each = i;
      boolean last = i == targets.length - 1;
      next(
          () -> {
            emitter.place(targets[each]);
            visit(path.then(".defer[" + each + "]"), alternatives.get(each).then());
          },
          () -> {
            if (!last) {
              emitter.emitTo(path, end, Code.SEQ_NEXT);
            }
          });
    }
  }

  private Pool.Alternative alternative(Alternative alternative, int target, int here) {
    return switch (alternative) {
      case Alternative.Take(var places, var external, var then) ->
          new Pool.Alternative(Pool.AlternativeKind.TAKE, places(places, here), 0, target);
      case Alternative.Test(var places, var then) ->
          new Pool.Alternative(Pool.AlternativeKind.TEST, places(places, here), 0, target);
      case Alternative.After(var duration, var then) ->
          new Pool.Alternative(Pool.AlternativeKind.AFTER, new int[0], Millis.of(duration), target);
      case Alternative.Expired(var then) ->
          new Pool.Alternative(Pool.AlternativeKind.EXPIRED, new int[0], 0, target);
    };
  }

  private int[] places(List<String> names, int here) {
    return names.stream().mapToInt(name -> symbols.place(name, here)).toArray();
  }

  private void cancel(TermPath path, Term.Cancel cancel) {
    ScopeOptions options = cancel.options();
    JumpTarget continuation = new JumpTarget();
    JumpTarget end = new JumpTarget();
    JumpTarget handler = options.handler() == null ? null : new JumpTarget();
    JumpTarget onTimeout = options.onTimeout() == null ? null : new JumpTarget();
    int[] holds = places(cancel.holding(), definition);
    int marking = options.marking() == null ? -1 : symbols.place(options.marking(), definition);
    int name = symbols.nameHere(cancel.name());
    int index =
        Emitter.add(
            emitter.regions,
            () ->
                new Pool.Region(
                    name,
                    holds,
                    marking,
                    millis(options.timeout()),
                    onTimeout == null ? -1 : onTimeout.address(),
                    handler == null ? -1 : handler.address(),
                    options.undo(),
                    options.allow(),
                    options.listener(),
                    continuation.address()));
    emitter.emit(path, Code.CANCEL_SCOPE, Code.ENTER, index);
    next(
        () -> visit(path.then(".do"), cancel.body()),
        () -> {
          emitter.emit(path, Code.CANCEL_SCOPE, Code.EXIT, index);
          emitter.place(continuation);
        },
        () -> handler(path, ".catch", handler, options.handler(), end),
        () -> handler(path, ".onTimeout", onTimeout, options.onTimeout(), end),
        () -> emitter.place(end));
  }

  private void handler(
      TermPath path, String step, @Nullable JumpTarget label, @Nullable Term term, JumpTarget end) {
    if (label != null && term != null) {
      // Falls in only from the code before it, which therefore jumps over the handler.
      emitter.emitTo(path, end, Code.SEQ_NEXT);
      emitter.place(label);
      next(() -> visit(path.then(step), term));
    }
  }

  private void instances(TermPath path, String name, InstancePolicy policy, Term body) {
    JumpTarget start = new JumpTarget();
    JumpTarget continuation = new JumpTarget();
    int nameIndex = symbols.nameHere(name);
    int unit = symbols.openUnit();
    int index =
        Emitter.add(
            emitter.instances,
            () ->
                new Pool.Instances(
                    nameIndex, unit, policy, start.address(), continuation.address()));
    emitter.emit(path, Code.MI_SPAWN, index);
    emitter.place(start);
    int outerDepth = loopDepth;
    loopDepth = 0;
    next(
        () -> visit(path.then(".do"), body),
        () -> {
          emitter.emit(path, Code.DONE);
          emitter.place(continuation);
          symbols.closeUnit();
          loopDepth = outerDepth;
        });
  }

  private void emit(TermPath path, Term.Emit emit) {
    String[] keys = emit.payload().keySet().toArray(String[]::new);
    Expression[] values = emit.payload().values().toArray(Expression[]::new);
    Pool.Emission emission;
    if (emit.place().endsWith(".add")) {
      int name = symbols.name(emit.place().substring(0, emit.place().length() - 4));
      emission = new Pool.Emission(Pool.EmissionKind.ADD, name, keys, values);
    } else if (emit.place().endsWith(".close")) {
      int name = symbols.name(emit.place().substring(0, emit.place().length() - 6));
      emission = new Pool.Emission(Pool.EmissionKind.CLOSE, name, keys, values);
    } else {
      int place = symbols.place(emit.place(), definition);
      emission = new Pool.Emission(Pool.EmissionKind.PLACE, place, keys, values);
    }
    emitter.emit(path, Code.EMIT, Emitter.add(emitter.emissions, emission));
  }

  private void graph(TermPath path, Term.Graph graph) {
    stamps |= graph.merge() == Merge.Standard.NEWEST;
    NetBuilder net = new NetBuilder(emitter, path, graph);
    int index = emitter.nets.size();
    emitter.nets.add(net::finish);
    emitter.emit(path, Code.NET_ENTER, index);
    net.split(index, -1, graph.start());
    int outerDepth = loopDepth;
    next(() -> {
      loopDepth = outerDepth;
      net.placeContinuation();
      emitter.emit(path, Code.NET_END);
    });
    for (int i = graph.nodes().size() - 1; i >= 0; i--) {
      int node = i;
      next(
          () -> {
            loopDepth = 0;
            net.placeBody(node);
            String id = graph.nodes().get(node).id();
            visit(path.then(".graph.nodes." + id + ".do"), graph.nodes().get(node).body());
          },
          () -> net.split(index, node, graph.nodes().get(node).then()));
    }
  }

  private static long millis(@Nullable Duration duration) {
    return duration == null ? 0 : Math.max(1, Millis.of(duration));
  }

  private static @Nullable Guard[] guards(List<Term.Choice> choices) {
    @Nullable Guard[] guards = new Guard[choices.size()];
    for (int i = 0; i < guards.length; i++) {
      guards[i] = choices.get(i).guard();
    }
    return guards;
  }

  private static int otherwise(List<Term.Choice> choices) {
    return choices.getLast().otherwise() ? choices.size() - 1 : -1;
  }
}
