package dev.damask.verify;

import dev.damask.event.Failure;
import dev.damask.event.Status;
import dev.damask.event.TraceEvent;
import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.term.TermPath;
import dev.damask.verify.Counterexample.Move;
import dev.damask.verify.MergeConflicts.Conflict;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Records during a search how the workflow itself ends cases with a status other than completed.
///
/// An end is recorded at the move that makes it certain. If undo has to run first, that is before
/// the case has ended. Moves that only data can cause, such as a choice without a matching branch,
/// have a remark. Everything found after such a move counts as caused by data.
final class EndCollector {
  private final Program program;
  private final boolean isExact;

  /// The joins whose branches can conflict, by the address after the join.
  private final Map<Integer, Conflict> conflicts = new HashMap<>();

  /// Effects whose failure is known to fail the case, by address.
  private final BitSet failing = new BitSet();

  /// The state whose moves are taken; null before the first.
  private @Nullable ExecState parent;

  private boolean isEnding;

  /// A move that ends the case.
  ///
  /// @param data the required data; empty if control flow alone leads there
  record Found(Ending ending, int from, Move move, String data) {}

  /// The maximum number of moves kept per end. Timers may rule out the first ones.
  private static final int FOUND_MAX = 64;

  private final Map<Ending, List<Found>> byFlow = new LinkedHashMap<>();
  private final Map<Ending, Found> byData = new LinkedHashMap<>();
  private final Set<Ending> intended = new LinkedHashSet<>();

  /// @param isExact whether the program does not depend on data
  EndCollector(Program original, Program program, boolean isExact) {
    this.program = program;
    this.isExact = isExact;
    MergeConflicts.of(original)
        .forEach((fork, conflict) ->
            conflicts.put(program.pools().forks()[fork].continuation(), conflict));
  }

  /// Returns the first moves of each kind that control flow alone leads to, the nearest first.
  List<List<Found>> byFlow() {
    return List.copyOf(byFlow.values());
  }

  /// Returns the first move of each kind that only data lead to.
  List<Found> byData() {
    return byData.values().stream().filter(found -> !byFlow.containsKey(found.ending())).toList();
  }

  List<Ending> intended() {
    return List.copyOf(intended);
  }

  /// Starts with the moves of a state.
  void expand(ExecState state) {
    parent = state;
    isEnding = Exploration.end(state).isPresent();
    for (int address : Exploration.unhandledEffects(state)) {
      if (!failing.get(address)) {
        failing.set(address);
        String task = program.pools().tasks()[program.raw().code()[address + 1]].name();
        intended.add(new Ending(Status.FAILED, Ending.Cause.EFFECT, task, path(address)));
      }
    }
  }

  /// Records a move.
  ///
  /// @param data the required data up to this move; empty if they do not matter
  void arrive(int from, Move move, ExecState next, List<TraceEvent> events, String data) {
    conflicts(from, move, next, events, data);
    if (isEnding) {
      return;
    }
    Exploration.end(next)
        .map(end -> classify(end.failure(), move, events))
        .ifPresent(ending -> note(ending, from, move, limited(ending, data)));
  }

  /// Returns the data that lead to a limit. A limit is reached by enough rounds, whose number
  /// depends on data if anything does.
  private String limited(Ending ending, String data) {
    return ending.cause() == Ending.Cause.LIMIT && data.isEmpty() && !isExact
        ? "if the data allow it to continue"
        : data;
  }

  private void note(Ending ending, int from, Move move, String data) {
    if (ending.cause().isIntended()) {
      intended.add(ending);
    } else {
      Found found = new Found(ending, from, move, data);
      if (!data.isEmpty()) {
        byData.putIfAbsent(ending, found);
        return;
      }
      List<Found> all = byFlow.computeIfAbsent(ending, _ -> new ArrayList<>());
      if (all.size() < FOUND_MAX) {
        all.add(found);
      }
    }
  }

  /// Records possible conflicts. Data are not searched, so a join with `merge: fail` always fires.
  private void conflicts(
      int from, Move move, ExecState next, List<TraceEvent> events, String data) {
    if (conflicts.isEmpty()) {
      return;
    }
    for (TraceEvent event : events) {
      Conflict conflict =
          event.kind() == TraceEvent.Kind.JOINED ? conflicts.get(event.before()) : null;
      if (conflict != null && !Exploration.isHandled(next, event.token())) {
        Ending ending =
            new Ending(Status.FAILED, Ending.Cause.MERGE_CONFLICT, "", path(event.before()));
        note(ending, from, move, conflict.isCertain() ? data : conflict.data());
      }
    }
  }

  private Ending classify(@Nullable Failure failure, Move move, List<TraceEvent> events) {
    if (failure != null) {
      return failed(failure, move);
    }
    String where = "";
    boolean gives = false;
    for (TraceEvent event : events) {
      if (event.kind() == TraceEvent.Kind.CANCELLED && event.subject().equals("case")) {
        // The token is already after the instruction.
        String kill = path(event.before() - Code.length(Code.KILL));
        return new Ending(Status.CANCELLED, Ending.Cause.KILL_CASE, "", kill);
      }
      gives |= event.kind() == TraceEvent.Kind.ABANDONED;
      where = where.isEmpty() && event.before() >= 0 ? path(event.before()) : where;
    }
    String join = givenUp(gives);
    return join.isEmpty()
        ? new Ending(Status.CANCELLED, Ending.Cause.NO_TOKEN, "", where)
        : new Ending(Status.CANCELLED, Ending.Cause.JOIN_GIVEN_UP, "", join);
  }

  /// Returns the outermost join that was abandoned, with this move or before; empty if there is
  /// none.
  ///
  /// @param now whether the move has abandoned a join
  private String givenUp(boolean now) {
    if (parent != null) {
      for (Exploration.JoinView join : Exploration.openJoins(parent)) {
        if (now || join.isGivenUp()) {
          return path(join.address());
        }
      }
    }
    return now ? TermPath.BODY.toString() : "";
  }

  /// Returns the place of a failure. For a split of a graph, it follows from the token that was to
  /// move.
  private String place(Failure failure, Move move) {
    if (move instanceof Move.Reduce(var token, _) && parent != null) {
      for (Exploration.TokenView view : Exploration.tokens(parent)) {
        boolean moves = view.id() == token;
        if (moves && program.source().at(view.address()).toString().equals(failure.place())) {
          return path(view.address());
        }
      }
    }
    return failure.place();
  }

  private Ending failed(Failure failure, Move move) {
    String place = place(failure, move);
    if (!failure.task().isEmpty()) {
      return new Ending(Status.FAILED, Ending.Cause.EFFECT, failure.task(), place);
    }
    Ending.Cause cause =
        switch (failure.reason()) {
          case "no_branch" -> Ending.Cause.NO_BRANCH;
          case "mi_bounds" -> Ending.Cause.MI_BOUNDS;
          case "merge_conflict" -> Ending.Cause.MERGE_CONFLICT;
          case Failure.TIMEOUT -> Ending.Cause.TIMEOUT;
          case Abstraction.FAIL -> Ending.Cause.FAIL;
          default -> Ending.Cause.LIMIT;
        };
    String subject =
        switch (cause) {
          case FAIL -> reasonAt(place);
          case TIMEOUT -> failure.detail();
          case LIMIT -> failure.reason();
          default -> "";
        };
    return new Ending(Status.FAILED, cause, subject, place);
  }

  /// Returns the reason of a `fail:` at a path.
  private String reasonAt(String place) {
    int[] code = program.raw().code();
    for (int at = 0; at < code.length; at += Code.length(code[at])) {
      if (code[at] == Code.TASK_EXEC && path(at).equals(place)) {
        Pool.Task task = program.pools().tasks()[code[at + 1]];
        if (Abstraction.fails(task)) {
          return task.text().substring("fail ".length());
        }
      }
    }
    return "";
  }

  private String path(int address) {
    return Sites.path(program, address);
  }
}
