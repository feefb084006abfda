package dev.damask.exec;

import dev.damask.event.Choice;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.Scheduler;
import dev.damask.event.Status;
import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.NetState;
import dev.damask.state.Token;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Searches what can follow a state, by the machine's own moves and nothing else: effects complete
/// with either data or fail, signals come, timers fire, unguarded choices go either way. What an
/// operator might do is not among them. A decision that is under test is never taken.
final class Futures {
  private static final int QUANTUM = 500;
  private static final int RUNS_MAX = 20;
  private static final int SCRIPTS_MAX = 8;

  private final Script script = new Script();
  private final Machine machine;
  private final Set<Integer> moved = new HashSet<>();
  private Predicate<Decision> forbidden = decision -> false;
  private int timerOf;

  Futures(Program program) {
    machine =
        new Machine(
            program,
            new Machine.Options(
                script,
                program.limits(),
                true,
                event -> {
                  if (event.isReduction() || event.kind() == TraceEvent.Kind.PASSED) {
                    moved.add(event.token());
                  }
                }));
    machine.gate = (state, decision) -> !forbidden.test(decision);
  }

  /// Chooses by a script and notes what else it could have chosen.
  private static final class Script implements Scheduler {
    private int[] given = new int[0];
    private final List<Integer> taken = new ArrayList<>();
    private final List<Integer> options = new ArrayList<>();

    void load(int[] choices) {
      given = choices;
      taken.clear();
      options.clear();
    }

    @Override
    public boolean isInOrder() {
      return false;
    }

    @Override
    public int choose(Choice choice) {
      int at = taken.size();
      int chosen = at < given.length ? given[at] : 0;
      taken.add(chosen);
      options.add(choice.kind() == Choice.Kind.BRANCH ? choice.options().size() : 1);
      return chosen;
    }
  }

  /// A decision and the state it was taken in.
  @SuppressWarnings("ArrayRecordComponent") // states are compared by their bytes elsewhere
  record Taken(Decision decision, byte[] state) {}

  ExecState read(byte[] bytes) {
    return StateCodec.decode(machine, bytes);
  }

  /// How a future contradicts a decision; null when no future that was searched does.
  @Nullable String contradiction(Taken taken, int statesMax) {
    Decision decision = taken.decision();
    boolean together = decision.kind() == Decision.Kind.EXPIRED_CIRCLE;
    forbidden =
        other ->
            other.equals(decision)
                || (other.frame() == decision.frame()
                    && other.node() == decision.node()
                    && other.waitNumber() == decision.waitNumber())
                || (together && other.waitNumber() > 0);
    ExecState start = read(taken.state());
    Predicate<ExecState> contradicts = contradicts(decision, start);
    return search(start, contradicts, statesMax);
  }

  private Predicate<ExecState> contradicts(Decision decision, ExecState start) {
    if (decision.node() < 0) {
      Token token = java.util.Objects.requireNonNull(start.awaits().get(decision.waitNumber()));
      timerOf = token.id;
      int id = token.id;
      return state -> moved.contains(id);
    }
    timerOf = 0;
    NetState.Arcs before = java.util.Objects.requireNonNull(arcs(start, decision));
    int firings = before.firings;
    boolean fired = before.fired;
    boolean[] empty = new boolean[before.queues.length];
    for (int arc = 0; arc < empty.length; arc++) {
      empty[arc] = before.queues[arc].isEmpty() && before.seen[arc] == null;
    }
    boolean fires = decision.kind() == Decision.Kind.ABORT;
    return state -> {
      NetState.Arcs now = arcs(state, decision);
      if (now == null) {
        return false;
      }
      if (now.firings > firings || (fired && !now.fired)) {
        return true;
      }
      for (int arc = 0; arc < empty.length && !fires; arc++) {
        if (empty[arc] && (!now.queues[arc].isEmpty() || now.seen[arc] != null)) {
          return true;
        }
      }
      return false;
    };
  }

  private static NetState.@Nullable Arcs arcs(ExecState state, Decision decision) {
    Frame frame = frame(state.root, decision.frame());
    return frame == null || frame.net == null ? null : frame.net.joins[decision.node()];
  }

  private static @Nullable Frame frame(Frame root, int id) {
    Deque<Frame> open = new ArrayDeque<>(List.of(root));
    while (!open.isEmpty()) {
      Frame frame = open.pop();
      if (frame.id == id) {
        return frame.closed ? null : frame;
      }
      open.addAll(frame.childList());
    }
    return null;
  }

  /// Whether a state that is called deadlocked can move after all when signals come.
  @Nullable String awakens(byte[] deadlocked) {
    forbidden = decision -> false;
    timerOf = 0;
    return search(read(deadlocked), state -> moved.stream().anyMatch(id -> id > 0), 30);
  }

  /// Breadth first, so that what is found is short.
  private @Nullable String search(
      ExecState start, Predicate<ExecState> contradicts, int statesMax) {
    record Step(ExecState state, String story) {}
    Set<String> seen = new HashSet<>();
    Deque<Step> open = new ArrayDeque<>();
    String[] found = new String[1];
    Predicate<Step> offer =
        step -> {
          if (contradicts.test(step.state())) {
            found[0] = step.story();
            return true;
          }
          if (!step.state().isDone() && seen.add(key(step.state()))) {
            open.add(step);
          }
          return false;
        };
    each(start, state -> state.status = Status.RUNNING, next -> offer.test(new Step(next, "run")));
    while (found[0] == null && !open.isEmpty() && seen.size() < statesMax) {
      Step step = open.poll();
      for (Move move : moves(step.state())) {
        each(
            step.state(),
            move.action(),
            next -> found[0] != null || offer.test(new Step(next, step.story() + ", " + move)));
        if (found[0] != null) {
          return found[0];
        }
      }
    }
    return found[0];
  }

  private record Move(String name, Consumer<ExecState> action) {
    @Override
    public String toString() {
      return name;
    }
  }

  private List<Move> moves(ExecState state) {
    List<Move> moves = new ArrayList<>();
    for (EffectRequest request : state.pendingEffects()) {
      TokenId token = request.token();
      String name = request.task().name();
      moves.add(input("done " + name, new Input.TaskDone(token, Context.empty())));
      moves.add(input("fail " + name, new Input.TaskFailed(token, "boom")));
    }
    for (String place : RandomWaits.SIGNALS) {
      if (state.marking(place) < 2) {
        moves.add(input("signal " + place, new Input.Signal(place, Context.empty())));
      }
    }
    if (state.openSets > 0) {
      moves.add(input("close m", new Input.CloseInstances("m")));
    }
    for (Exploration.TimerView timer : Exploration.timers(state)) {
      if (timer.isScope() || timer.id() != timerOf) {
        moves.add(
            new Move(
                "time of " + timer.id(),
                copy -> Exploration.fire(machine, copy, timer.isScope(), timer.id())));
      }
    }
    return moves;
  }

  private Move input(String name, Input input) {
    return new Move(name, state -> machine.apply(state, input));
  }

  /// Makes a move on copies of a state, once for every way the free choices after it can go.
  private void each(ExecState from, Consumer<ExecState> move, Predicate<ExecState> sink) {
    byte[] bytes = StateCodec.encode(from);
    Deque<int[]> scripts = new ArrayDeque<>();
    scripts.add(new int[0]);
    for (int i = 0; i < SCRIPTS_MAX && !scripts.isEmpty(); i++) {
      int[] choices = scripts.poll();
      ExecState state = read(bytes);
      script.load(choices);
      moved.clear();
      move.accept(state);
      for (int run = 0; run < RUNS_MAX; run++) {
        if (!(machine.run(state, QUANTUM) instanceof Outcome.Yielded)) {
          break;
        }
      }
      if (sink.test(state)) {
        return;
      }
      for (int at = choices.length; at < script.taken.size(); at++) {
        for (int other = 1; other < script.options.get(at); other++) {
          int[] next = new int[at + 1];
          Arrays.setAll(next, script.taken::get);
          next[at] = other;
          scripts.add(next);
        }
      }
    }
  }

  /// States with the same key have the same future. The guards here look at instance numbers alone.
  private static String key(ExecState state) {
    return new String(Exploration.canonical(state), java.nio.charset.StandardCharsets.ISO_8859_1);
  }
}
