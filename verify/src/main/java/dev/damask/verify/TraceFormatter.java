package dev.damask.verify;

import dev.damask.event.EffectRequest;
import dev.damask.event.ProcessEvent;
import dev.damask.event.TraceEvent;
import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TimerView;
import dev.damask.exec.Exploration.TokenView;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.verify.Counterexample.Kind;
import dev.damask.verify.Counterexample.Move;
import dev.damask.verify.Counterexample.Step;
import java.util.ArrayList;
import java.util.List;

/// Repeats the moves of a trace and describes them as steps of the workflow.
final class TraceFormatter {
  private final Moves search;
  private final Program program;
  private final int[] code;

  TraceFormatter(Moves search) {
    this.search = search;
    this.program = search.program;
    this.code = program.raw().code();
  }

  /// The steps of a trace and its final state.
  record Story(List<Step> steps, ExecState end) {}

  Story tell(List<Move> moves) {
    List<Step> steps = new ArrayList<>();
    byte[] bytes = Exploration.canonical(search.start());
    ExecState state = search.load(bytes);
    for (Move move : moves) {
      ExecState before = search.load(bytes);
      state = search.load(bytes);
      search
          .oracle()
          .restart(move instanceof Move.Reduce(var token, var given) ? given : List.of());
      search.take(move);
      steps.add(step(before, state, move));
      bytes = Exploration.canonical(state);
    }
    return new Story(steps, state);
  }

  private Step step(ExecState before, ExecState after, Move move) {
    return switch (move) {
      case Move.Reduce(var token, var decisions) -> reduction(before, after, move, token);
      case Move.Done(var token) -> effect(before, move, token, Kind.DONE, " is done");
      case Move.Fail(var token) -> effect(before, move, token, Kind.FAIL, " fails");
      case Move.Signal(var place) ->
          new Step(Kind.SIGNAL, place, "", "", "signal " + place + " arrives", move);
      case Move.Add(var name) ->
          new Step(Kind.ADD, name, "", "", "an instance is added to " + name, move);
      case Move.Close(var name) ->
          new Step(Kind.CLOSE, name, "", "", "the set " + name + " is closed", move);
      case Move.Timer(var isScope, var id) -> timer(before, move, isScope, id);
      case Move.Fire fire ->
          throw new IllegalArgumentException("a net transition cannot run on the machine");
    };
  }

  private Step effect(ExecState before, Move move, int token, Kind kind, String verb) {
    for (EffectRequest request : before.pendingEffects()) {
      if (request.token().number() == token) {
        String name = request.task().name();
        return new Step(
            kind,
            name,
            request.label(),
            path(addressOf(before, token)),
            "task " + name + instance(request.label()) + verb,
            move);
      }
    }
    throw new IllegalStateException("no waiting task at token " + token);
  }

  private static String instance(String label) {
    return label.isEmpty() ? "" : "[" + label + "]";
  }

  private Step timer(ExecState before, Move move, boolean isScope, int id) {
    for (TimerView timer : Exploration.timers(before)) {
      if (timer.isScope() == isScope && timer.id() == id) {
        String path = path(timer.address());
        String what = isScope ? "the time of the scope at " : "the timer at ";
        return new Step(Kind.TIMER, "", "", path, what + path + " is up", move);
      }
    }
    throw new IllegalStateException("unknown timer id " + id);
  }

  private int addressOf(ExecState state, int token) {
    for (TokenView view : Exploration.tokens(state)) {
      if (view.id() == token) {
        return view.address();
      }
    }
    return 0;
  }

  private String path(int address) {
    return Sites.path(program, address);
  }

  private Step reduction(ExecState before, ExecState after, Move move, int token) {
    String label = "";
    int address = 0;
    for (TokenView view : Exploration.tokens(before)) {
      if (view.id() == token || token == 0) {
        label = view.label();
        address = view.address();
      }
    }
    String evaluated = evaluated();
    if (!evaluated.isEmpty()) {
      return new Step(Kind.INTERNAL, "", label, path(address), evaluated, move);
    }
    for (TraceEvent event : search.events()) {
      String name = event.subject() + instance(event.label());
      if (event.kind() == TraceEvent.Kind.RAN && !event.subject().isEmpty()) {
        String path = path(event.before());
        boolean isStep = path.endsWith(".steps." + event.subject());
        String text = (isStep ? "step " : "task ") + name + " runs";
        return new Step(Kind.TASK, event.subject(), label, path, text, move);
      }
      if (event.kind() == TraceEvent.Kind.STARTED) {
        String text = "task " + name + " starts";
        return new Step(Kind.INTERNAL, event.subject(), label, path(event.before()), text, move);
      }
    }
    Told told = describe(address);
    String split = Sites.selected(program, address, before, after);
    if (told.text().isEmpty() && !split.isEmpty()) {
      told = new Told(address, split);
    }
    String target = Sites.arcTarget(program, address);
    return new Step(Kind.INTERNAL, target, label, path(told.address()), told.text(), move);
  }

  /// Describes the evaluation of a process instance and its consequences; empty if none was
  /// evaluated.
  private String evaluated() {
    StringBuilder text = new StringBuilder();
    for (TraceEvent event : search.events()) {
      String step = event.subject();
      switch (event.kind()) {
        case EVALUATED -> {
          if (event.process() instanceof ProcessEvent.Evaluated(_, var outcome)) {
            text.append("step ").append(step).append(" is ").append(outcome.word());
          }
        }
        case SPAWNED -> text.append(text.isEmpty() ? "it begins at " : ", spawns ").append(step);
        case FORKED -> text.append(" (which waits for its join)");
        case JOINED -> text.append(", the join at ").append(step).append(" closes");
        case ABORTED -> {
          if (event.process() instanceof ProcessEvent.Aborted(_, var why)) {
            text.append(", ").append(step).append(" is aborted: ").append(why);
          }
        }
        default -> {}
      }
    }
    return search.program.pools().processes().length == 0 ? "" : text.toString();
  }

  /// A short description of an event at an address; empty if it is not shown.
  private record Told(int address, String text) {}

  private Told describe(int address) {
    for (TraceEvent event : search.events()) {
      if (event.kind() == TraceEvent.Kind.STEP && counts(event.before())) {
        int at = event.before();
        int after = event.after();
        String where = path(at);
        switch (code[at]) {
          case Code.XOR_CHOOSE -> {
            Pool.Choice choice = program.pools().choices()[code[at + 1]];
            for (int i = 0; i < choice.targets().length; i++) {
              if (choice.targets()[i] == after) {
                return new Told(at, Sites.chosen(program, at, i));
              }
            }
          }
          case Code.LOOP_CHECK -> {
            String what = after == code[at + 4] ? "the loop ends at " : "the loop repeats at ";
            return new Told(at, what + where);
          }
          case Code.KILL -> {
            return new Told(at, "kill at " + where);
          }
          case Code.EMIT -> {
            return new Told(at, "emit at " + where);
          }
          case Code.AWAIT -> {
            return new Told(at, "waits at " + where);
          }
          default -> {}
        }
      }
    }
    return new Told(address, "");
  }

  private boolean counts(int address) {
    return switch (code[address]) {
      case Code.XOR_CHOOSE, Code.LOOP_CHECK, Code.KILL, Code.EMIT, Code.AWAIT -> true;
      default -> false;
    };
  }

  /// Returns the positions of a state's tokens.
  List<String> stands(ExecState state) {
    return Sites.standing(program, state);
  }

  /// Describes what a state waits for, one line each, or its content if that is unknown.
  List<String> describe(ExecState state) {
    List<String> lines = new ArrayList<>();
    lines.add("the case is " + state.status().name().toLowerCase(java.util.Locale.ROOT));
    lines.addAll(search.report());
    return lines;
  }
}
