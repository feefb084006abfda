package dev.damask.exec;

import dev.damask.exec.Frame.UndoEntry;
import dev.damask.exec.Undoing.Ending;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.task.Context;
import dev.damask.term.Mode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Scopes: how frames are entered, left, withdrawn, undone and closed.
///
/// Withdrawing visits the frames and tokens of the scope and nothing else. Closing goes up the tree
/// through a list of frames still to be looked at, never by recursion.
final class Cancellation {
  private final Machine machine;

  Cancellation(Machine machine) {
    this.machine = machine;
  }

  /// Opens an activation of a scope around a token.
  void enter(ExecState state, Token token, int index) {
    Pool.Region region = machine.pools.regions()[index];
    Frame frame = machine.openAround(state, Frame.Kind.REGION, token, index);
    frame.loops = token.loops == null ? null : token.loops.clone();
    Frame.Scope scope = new Frame.Scope();
    frame.scope = scope;
    state.named(region.name()).put(frame.id, frame);
    if (region.timeoutMillis() > 0) {
      scope.due = Timers.after(state.clock, region.timeoutMillis());
      scope.dueOrder = ++state.lastWait;
      state.timers().add(scope.due, scope.dueOrder, frame);
    }
    if (region.holds().length > 0) {
      machine.places.hold(state, token, region);
    } else {
      token.ip += Code.length(Code.CANCEL_SCOPE);
    }
  }

  void exit(ExecState state, Token token) {
    Pool.Region region = machine.pools.regions()[token.frame.spec];
    machine.leaveFrame(state, token, region.continuation());
  }

  /// The instruction: ends the open activations of a name within the unit of the token.
  void kill(ExecState state, Token token, Pool.Kill kill) {
    token.ip += Code.length(Code.KILL);
    Ending.Kind kind = kill.complete() ? Ending.Kind.COMPLETE : Ending.Kind.WITHDRAW;
    String name = kill.name() < 0 ? "case" : machine.pools.names()[kill.name()];
    machine.trace(state, TraceEvent.Kind.CANCELLED, "CANCEL-PROPAGATE", token, name, kind.name());
    if (kill.name() < 0) {
      end(state, state.root, Ending.of(kind));
      return;
    }
    Frame unit = unit(state, token.frame, kill.name());
    for (Frame frame : List.copyOf(state.named(kill.name()).values())) {
      if (!frame.closed && frame.isWithin(unit)) {
        end(state, frame, Ending.of(kind));
      }
    }
  }

  /// The innermost instance, call or case around a frame whose text contains a region of the name.
  private Frame unit(ExecState state, Frame from, int name) {
    for (Frame frame = from; frame != null; frame = frame.parent) {
      int unit =
          switch (frame.kind) {
            case INSTANCE -> machine.pools.instances()[frame.outer().spec].unit();
            case CALL -> machine.pools.entries()[frame.spec].unit();
            default -> -1;
          };
      if (unit >= 0 && machine.program.unitContains(unit, name)) {
        return frame;
      }
    }
    return state.root;
  }

  /// The main token of the case has reached its end.
  void deliverCase(ExecState state, Token token) {
    Frame root = state.root;
    boolean first = !root.delivered;
    if (first) {
      root.delivered = true;
      state.result = token.context;
    }
    if (first && machine.program.mode() == Mode.EXPLICIT && !root.isEmpty()) {
      end(state, root, Ending.deliver(token.context, token.stamps));
    } else {
      closeIfEmpty(state, root);
    }
  }

  /// The time of a scope is up.
  void timeOut(ExecState state, Frame frame) {
    end(state, frame, Ending.of(Ending.Kind.TIMEOUT));
  }

  /// Passes a failure to the innermost scope around a frame that handles it, or to the case.
  void raise(ExecState state, Frame from, Failure failure) {
    for (Frame frame = from; frame != null; frame = frame.parent) {
      if (frame.undoing != null) {
        undoFailed(state, frame, failure);
        return;
      }
      if (frame.kind == Frame.Kind.REGION && machine.pools.regions()[frame.spec].handler() >= 0) {
        end(state, frame, Ending.of(Ending.Kind.HANDLE, failure));
        return;
      }
    }
    end(state, state.root, Ending.of(Ending.Kind.FAIL, failure));
  }

  /// Withdraws everything in a frame, undoes what must be undone, and then ends the frame.
  void end(ExecState state, Frame frame, Ending ending) {
    if (frame.undoing != null) {
      // A second reason to end: the undoing goes on, only what follows it changes. A failure stays.
      if (frame.undoing.ending.kind() != Ending.Kind.FAIL) {
        frame.undoing.ending = ending;
      }
      return;
    }
    List<UndoEntry> undo = withdrawContent(state, frame);
    if (undo.isEmpty()) {
      finish(state, frame, ending);
      return;
    }
    if (frame.scope != null) {
      frame.scope.due = Timers.NEVER; // a scope that is being undone has no time to run out of
    }
    undo.sort(Comparator.comparingLong(UndoEntry::order).reversed());
    frame.undoing = new Undoing(undo, ending);
    undoNext(state, frame);
  }

  private void undoNext(ExecState state, Frame frame) {
    Undoing undoing = java.util.Objects.requireNonNull(frame.undoing);
    if (undoing.rest.isEmpty()) {
      frame.undoing = null;
      finish(state, frame, undoing.ending);
      return;
    }
    UndoEntry entry = undoing.rest.getFirst();
    long lineage = Lineage.of(entry.lineage(), Lineage.UNDO);
    state.wake(
        machine.newToken(state, frame, entry.address(), entry.context(), entry.stamps(), lineage));
  }

  private void undoFailed(ExecState state, Frame frame, Failure failure) {
    Undoing undoing = java.util.Objects.requireNonNull(frame.undoing);
    List<UndoEntry> inner = withdrawContent(state, frame);
    List<UndoEntry> rest = new ArrayList<>(inner);
    rest.addAll(undoing.rest.subList(1, undoing.rest.size()));
    frame.undoing = new Undoing(rest, undoing.ending.withLater(failure));
    undoNext(state, frame);
  }

  /// Ends a frame that holds nothing any more.
  private void finish(ExecState state, Frame frame, Ending ending) {
    switch (ending.kind()) {
      case WITHDRAW -> {}
      case COMPLETE -> complete(state, frame);
      case DELIVER -> deliver(state, frame, ending);
      case HANDLE -> handle(state, frame, java.util.Objects.requireNonNull(ending.failure()));
      case TIMEOUT -> {
        if (!timedOut(state, frame)) {
          return;
        }
      }
      case FAIL -> state.failure = ending.failure();
    }
    if (!frame.closed) {
      close(state, frame);
    }
  }

  private void complete(ExecState state, Frame frame) {
    if (frame.delivered) {
      return;
    }
    switch (frame.kind) {
      case SET -> machine.instances.fire(state, frame);
      case REGION -> {
        frame.delivered = true;
        int exit = machine.pools.regions()[frame.spec].continuation();
        machine.exitToken(state, frame, exit, frame.entry, frame.entryStamps, Lineage.COMPLETE);
      }
      case CASE -> {
        frame.delivered = true;
        state.result = frame.entry;
      }
      case CALL, BLOCK, BRANCH, INSTANCE, NET, GROUP ->
          throw new Invariant.Broken("I7 only named frames and the case are completed");
    }
  }

  private void deliver(ExecState state, Frame frame, Ending ending) {
    if (frame.kind == Frame.Kind.NET && !frame.delivered) {
      frame.delivered = true;
      int exit = machine.pools.nets()[frame.spec].continuation();
      machine.exitToken(state, frame, exit, ending.context(), ending.stamps(), Lineage.END);
    }
  }

  private void handle(ExecState state, Frame frame, Failure failure) {
    if (frame.delivered) {
      return;
    }
    frame.delivered = true;
    Context context = frame.entry.with("error", failure.toContext());
    Context stamps = frame.entryStamps;
    if (machine.stamps) {
      stamps = Merging.stamp(stamps, frame.entry, context, ++state.steps);
    }
    int handler = machine.pools.regions()[frame.spec].handler();
    machine.exitToken(state, frame, handler, context, stamps, Lineage.HANDLER);
  }

  /// Ends a scope whose time is up; false when the failure has ended it together with more.
  private boolean timedOut(ExecState state, Frame frame) {
    if (frame.delivered) {
      return true;
    }
    Pool.Region region = machine.pools.regions()[frame.spec];
    if (region.onTimeout() >= 0) {
      frame.delivered = true;
      machine.exitToken(
          state, frame, region.onTimeout(), frame.entry, frame.entryStamps, Lineage.TIMEOUT);
      return true;
    }
    String name = machine.pools.names()[region.name()];
    int exit = machine.program.pools().regions()[frame.spec].continuation();
    String place = machine.program.source().at(exit - 1).toString();
    Failure failure = new Failure("", Failure.TIMEOUT, "scope " + name, 1, place);
    if (region.handler() >= 0) {
      handle(state, frame, failure);
      return true;
    }
    raise(state, frame.outer(), failure);
    return false;
  }

  /// Withdraws all tokens below a frame in the order of their ids and closes all frames below,
  /// without telling anyone. Gives back what they held; returns what they had to undo.
  private List<UndoEntry> withdrawContent(ExecState state, Frame root) {
    List<Token> tokens = new ArrayList<>();
    List<Frame> holding = new ArrayList<>();
    List<UndoEntry> undo = new ArrayList<>();
    Deque<Frame> open = new ArrayDeque<>();
    open.push(root);
    int visited = 0;
    while (!open.isEmpty()) {
      Frame frame = open.pop();
      visited++;
      for (Token token = frame.firstToken; token != null; token = token.next) {
        tokens.add(token);
        visited++;
      }
      for (Frame child = frame.firstChild; child != null; child = child.next) {
        open.push(child);
      }
      takeUndoLog(frame, root, undo);
      if (frame != root) {
        frame.closed = true;
        unregister(state, frame);
        if (frame.scope != null && !frame.scope.held.isEmpty()) {
          holding.add(frame);
        }
      }
    }
    state.visited = visited;
    tokens.sort(Comparator.comparingInt(token -> token.id));
    tokens.forEach(token -> drop(state, token));
    holding.sort(Comparator.comparingInt(frame -> frame.id));
    root.firstChild = null;
    root.lastChild = null;
    root.children = 0;
    if (root.net != null) {
      root.net = new NetState(machine.pools.nets()[root.spec]);
    }
    holding.forEach(frame -> machine.places.giveBack(state, frame));
    return undo;
  }

  /// What a scope that has delivered completed belongs to the scope around it: it is undone only
  /// together with that one, also while something still drains.
  private void takeUndoLog(Frame frame, Frame root, List<UndoEntry> undo) {
    if (frame.scope != null && frame.scope.undoLog != null) {
      Frame owner = frame.delivered ? undoScope(frame.outer()) : frame;
      while (owner != null && owner.delivered) {
        owner = undoScope(owner.outer());
      }
      if (owner != null) {
        (owner.isWithin(root) ? undo : log(owner)).addAll(frame.scope.undoLog);
      }
      frame.scope.undoLog = null;
    }
    if (frame != root && frame.undoing != null) {
      undo.addAll(frame.undoing.rest);
    }
  }

  /// Withdraws one token and lets its frame notice.
  void withdraw(ExecState state, Token token) {
    Frame frame = token.frame;
    if (frame.kind == Frame.Kind.GROUP) {
      machine.groups.abort(state, token, "from outside");
      return;
    }
    drop(state, token);
    closeIfEmpty(state, frame);
  }

  /// Takes a token out of everything that knows it.
  void drop(ExecState state, Token token) {
    switch (token.state) {
      case EFFECT -> {
        state.effects().remove(token.id);
        state.noteWithdrawn(token);
        String task = Reports.task(state, token).name();
        machine.trace(state, TraceEvent.Kind.WITHDRAWN, "CANCEL-EFFECT", token, task, "");
        token.wait = null;
      }
      case AWAIT -> machine.places.stopWaiting(state, token);
      case HELD -> {
        state.externalWaits--;
        token.wait = null;
      }
      case READY, QUEUED, GONE -> {}
    }
    machine.remove(state, token);
  }

  /// Closes a frame that has become empty, and what becomes empty in consequence.
  void closeIfEmpty(ExecState state, Frame frame) {
    if (!isOver(frame)) {
      return;
    }
    if (state.closing == null) {
      state.closing = new ArrayDeque<>();
    }
    state.closing.add(frame);
    if (state.draining) {
      return;
    }
    state.draining = true;
    try {
      Frame next = state.closing.poll();
      while (next != null) {
        closeOne(state, next);
        next = state.closing.poll();
      }
    } finally {
      state.draining = false;
    }
  }

  private void closeOne(ExecState state, Frame frame) {
    if (!isOver(frame)) {
      return;
    }
    Undoing undoing = frame.undoing;
    if (undoing != null) {
      frame.undoing = new Undoing(undoing.rest.subList(1, undoing.rest.size()), undoing.ending);
      undoNext(state, frame);
      return;
    }
    close(state, frame);
  }

  private static boolean isOver(Frame frame) {
    return frame.isEmpty() && !frame.closed && !(frame.net != null && isPending(frame.net));
  }

  /// A round of a blocking join that has begun and not fired is not an end: it is stuck.
  private static boolean isPending(NetState net) {
    for (NetState.Arcs arcs : net.joins) {
      if (arcs != null && arcs.seenCount() > 0 && !arcs.fired) {
        return true;
      }
    }
    return false;
  }

  private void close(ExecState state, Frame frame) {
    if (frame.kind == Frame.Kind.NET && machine.pools.nets()[frame.spec].mode() == Mode.IMPLICIT) {
      machine.nets.deliverIfEnded(state, frame);
    } else if (frame.kind == Frame.Kind.GROUP) {
      machine.groups.deliverIfEnded(state, frame);
    }
    frame.closed = true;
    if (frame.kind == Frame.Kind.CASE) {
      endCase(state);
      return;
    }
    Frame outer = frame.outer();
    outer.detach(frame);
    unregister(state, frame);
    passUndoLog(frame);
    machine.places.giveBack(state, frame);
    if (!frame.delivered) {
      switch (frame.kind) {
        case BRANCH -> machine.blocks.died(state, outer);
        case INSTANCE -> machine.instances.died(state, outer);
        default -> {}
      }
    }
    closeIfEmpty(state, outer);
  }

  private void endCase(ExecState state) {
    if (state.result == null) {
      state.result = state.root.entry; // the frames go, and with them what the case began with
    }
    state.status =
        state.failure != null
            ? Status.FAILED
            : state.root.delivered ? Status.COMPLETED : Status.CANCELLED;
    machine.trace(state, TraceEvent.Kind.ENDED, "END", null, "", state.status.name());
    Invariant.check(state.live == 0, "I10 an ended case has no token", state.live);
  }

  private void unregister(ExecState state, Frame frame) {
    switch (frame.kind) {
      case REGION -> state.named(machine.pools.regions()[frame.spec].name()).remove(frame.id);
      case SET -> state.named(machine.pools.instances()[frame.spec].name()).remove(frame.id);
      case NET -> {
        if (state.nets != null) {
          state.nets.remove(frame.id);
        }
      }
      case GROUP -> state.groups().remove(frame.id);
      default -> {}
    }
  }

  /// Notes a completed task that can be undone with the innermost scope that undoes.
  void record(ExecState state, Token token, int task, long lineage) {
    Frame scope = undoScope(token.frame);
    if (scope != null) {
      log(scope)
          .add(
              new UndoEntry(
                  state.steps,
                  machine.pools.tasks()[task].undo(),
                  token.context,
                  token.stamps,
                  lineage,
                  task));
    }
  }

  private @Nullable Frame undoScope(Frame from) {
    for (Frame frame = from; frame != null; frame = frame.parent) {
      if (frame.undoing != null) {
        return null;
      }
      if (frame.kind == Frame.Kind.REGION && machine.pools.regions()[frame.spec].undo()) {
        return frame;
      }
    }
    return null;
  }

  private static List<UndoEntry> log(Frame scope) {
    Frame.Scope part = java.util.Objects.requireNonNull(scope.scope);
    if (part.undoLog == null) {
      part.undoLog = new ArrayList<>();
    }
    return part.undoLog;
  }

  /// What a scope completed, the scope around it may still have to undo.
  private void passUndoLog(Frame frame) {
    if (frame.scope != null && frame.scope.undoLog != null) {
      Frame outer = undoScope(frame.outer());
      if (outer != null) {
        log(outer).addAll(frame.scope.undoLog);
      }
      frame.scope.undoLog = null;
    }
  }
}
