package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.event.Status;
import dev.damask.event.TraceEvent;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.state.Frame;
import dev.damask.state.Frame.UndoEntry;
import dev.damask.state.Invariant;
import dev.damask.state.NetState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Lineage;
import dev.damask.state.Undoing;
import dev.damask.state.Undoing.Ending;
import dev.damask.term.Mode;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/// Scopes: how frames are entered, left, cancelled, undone and closed.
///
/// Withdrawing visits the frames and tokens of the scope and nothing else. Closing goes up the tree
/// through a list of frames still to be looked at, never by recursion.
final class Cancellation {
  private final Machine machine;
  final UndoLog undoLog;

  Cancellation(Machine machine) {
    this.machine = machine;
    this.undoLog = new UndoLog(machine);
  }

  /// Opens an activation of a scope around a token.
  void enter(ExecState state, Token token, int index) {
    Pool.Region region = machine.pools.regions()[index];
    Frame frame = machine.openAround(state, Frame.Kind.REGION, token, index);
    frame.setLoops(token.loops == null ? null : token.loops.clone());
    Frame.Scope scope = new Frame.Scope();
    frame.setScope(scope);
    state.named(region.name()).put(frame.id, frame);
    state.setCancelled(machine.pools.names()[region.name()], false);
    if (region.timeoutMillis() > 0) {
      scope.setDue(Timers.after(state.clock, region.timeoutMillis()));
      scope.setDueOrder(++state.lastWait);
      state.timers().add(scope.due, scope.dueOrder, frame);
    }
    if (region.marking() >= 0) {
      machine.places.mark(state, frame, region.marking());
    }
    if (region.holds().length > 0) {
      machine.places.hold(state, token, region);
    } else {
      token.setIp(token.ip + Code.length(Code.CANCEL_SCOPE));
    }
  }

  void exit(ExecState state, Token token) {
    Pool.Region region = machine.pools.regions()[token.frame.spec];
    machine.leaveFrame(state, token, region.continuation());
  }

  /// The main token of the case has reached its end.
  void deliverCase(ExecState state, Token token) {
    Frame root = state.root;
    boolean first = !root.delivered;
    if (first) {
      root.setDelivered(true);
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

  /// Raises the failure of a construct that no token is at; false when it comes too late.
  boolean raise(ExecState state, Frame from, Failure failure) {
    machine.raised(state, null, failure);
    return propagate(state, from, failure);
  }

  /// Passes a failure to the innermost scope around a frame that handles it, or to the case. False
  /// when the case has its result and only drains: such a failure is traced and changes nothing.
  boolean propagate(ExecState state, Frame from, Failure failure) {
    if (isLate(state, from)) {
      machine.trace(state, TraceEvent.Kind.RAISED, "RAISE", null, failure.task(), "late");
      state.noteLate(failure);
      closeIfEmpty(state, from);
      return false;
    }
    for (Frame frame = from; frame != null; frame = frame.parent) {
      if (frame.undoing != null) {
        undoFailed(state, frame, failure);
        return true;
      }
      if (frame.kind == Frame.Kind.REGION && machine.pools.regions()[frame.spec].handler() >= 0) {
        end(state, frame, Ending.of(Ending.Kind.HANDLE, failure));
        return true;
      }
    }
    end(state, state.root, Ending.of(Ending.Kind.FAIL, failure));
    return true;
  }

  private static boolean isLate(ExecState state, Frame from) {
    boolean isLeftover = state.root.delivered && from != state.root;
    for (Frame frame = from; frame != null && isLeftover; frame = frame.parent) {
      isLeftover = frame.undoing == null && frame.kind != Frame.Kind.GROUP;
    }
    return isLeftover;
  }

  /// Withdraws everything in a frame, undoes what must be undone, and then ends the frame.
  void end(ExecState state, Frame frame, Ending ending) {
    if (frame.undoing != null) {
      // A second reason to end: undoing continues, only what follows it changes. A failure stays.
      if (frame.undoing.ending.kind() != Ending.Kind.FAIL) {
        if (CancelCause.isCancelling(ending.kind())) {
          CancelCause.notice(state, frame);
        }
        frame.undoing.setEnding(ending);
      }
      return;
    }
    List<UndoEntry> undo = withdrawContent(state, frame);
    if (ending.kind() == Ending.Kind.WITHDRAW) {
      CancelCause.add(state, frame);
    } else if (CancelCause.isCancelling(ending.kind())) {
      CancelCause.notice(state, frame);
    }
    if (undo.isEmpty()) {
      finish(state, frame, ending);
      return;
    }
    if (frame.scope != null) {
      frame.scope.setDue(Timers.NEVER); // a scope that is being undone has no time to run out of
    }
    undo.sort(Comparator.comparingLong(UndoEntry::order).reversed());
    frame.setUndoing(new Undoing(undo, ending));
    undoNext(state, frame);
  }

  private void undoNext(ExecState state, Frame frame) {
    Undoing undoing = java.util.Objects.requireNonNull(frame.undoing);
    if (undoing.rest.isEmpty()) {
      frame.setUndoing(null);
      finish(state, frame, undoing.ending);
      return;
    }
    UndoEntry entry = undoing.rest.getFirst();
    long lineage = Lineage.of(entry.lineage(), Lineage.UNDO);
    Token token =
        machine.newToken(state, frame, entry.address(), entry.context(), entry.stamps(), lineage);
    state.wake(token);
    String task = machine.pools.tasks()[entry.task()].name();
    machine.trace(state, TraceEvent.Kind.UNDOING, "UNDO", token, task, "");
  }

  private void undoFailed(ExecState state, Frame frame, Failure failure) {
    Undoing undoing = java.util.Objects.requireNonNull(frame.undoing);
    List<UndoEntry> inner = withdrawContent(state, frame);
    List<UndoEntry> rest = new ArrayList<>(inner);
    rest.addAll(undoing.rest.subList(1, undoing.rest.size()));
    frame.setUndoing(new Undoing(rest, undoing.ending.withLater(failure)));
    undoNext(state, frame);
  }

  /// Ends a frame that holds nothing any more.
  private void finish(ExecState state, Frame frame, Ending ending) {
    switch (ending.kind()) {
      case WITHDRAW -> CancelCause.note(state, ending.failure());
      case COMPLETE -> complete(state, frame);
      case DELIVER -> deliver(state, frame, ending);
      case HANDLE -> handle(state, frame, java.util.Objects.requireNonNull(ending.failure()));
      case TIMEOUT -> {
        if (!timedOut(state, frame)) {
          return;
        }
      }
      case FAIL -> {
        state.failure = ending.failure();
        state.status = Status.FAILED; // kept when the root closes
      }
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
        frame.setDelivered(true);
        int exit = machine.pools.regions()[frame.spec].continuation();
        machine.exitToken(state, frame, exit, frame.entry, frame.entryStamps, Lineage.COMPLETE);
      }
      case CASE -> {
        frame.setDelivered(true);
        state.result = frame.entry;
      }
      case CALL, BLOCK, BRANCH, INSTANCE, NET, GROUP ->
          throw new Invariant.Broken("I7 only named frames and the case are completed");
    }
  }

  private void deliver(ExecState state, Frame frame, Ending ending) {
    if (frame.delivered) {
      return;
    }
    frame.setDelivered(true);
    if (frame.kind == Frame.Kind.CASE) {
      state.result = ending.context();
      return;
    }
    boolean net = frame.kind == Frame.Kind.NET;
    int exit =
        net
            ? machine.pools.nets()[frame.spec].continuation()
            : machine.pools.regions()[frame.spec].continuation();
    long cause = net ? Lineage.END : Lineage.COMPLETE;
    machine.exitToken(state, frame, exit, ending.context(), ending.stamps(), cause);
  }

  private void handle(ExecState state, Frame frame, Failure failure) {
    if (frame.delivered) {
      return;
    }
    frame.setDelivered(true);
    Context context = frame.entry.with("error", failure.toContext());
    Context stamps = frame.entryStamps;
    state.steps += machine.writes.all ? 1 : 0;
    stamps = machine.writes.key(stamps, frame, context, "error", state.steps);
    Pool.Region region = machine.pools.regions()[frame.spec];
    Token token =
        machine.exitToken(state, frame, region.handler(), context, stamps, Lineage.HANDLER);
    if (machine.writes.all) {
      machine.wrote(state, token, "error");
    }
    String name = machine.pools.names()[region.name()];
    machine.trace(state, TraceEvent.Kind.HANDLED, "HANDLE", token, name, failure.reason());
  }

  /// Ends a scope whose time is up; false when the failure has ended it together with more.
  private boolean timedOut(ExecState state, Frame frame) {
    if (frame.delivered) {
      return true;
    }
    Pool.Region region = machine.pools.regions()[frame.spec];
    if (region.onTimeout() >= 0) {
      frame.setDelivered(true);
      machine.exitToken(
          state, frame, region.onTimeout(), frame.entry, frame.entryStamps, Lineage.TIMEOUT);
      return true;
    }
    String name = machine.pools.names()[region.name()];
    int exit = machine.program.pools().regions()[frame.spec].continuation();
    String place = machine.program.source().at(exit - 1).toString();
    Failure failure = new Failure("", Failure.TIMEOUT, "scope " + name, 1, place);
    if (region.handler() >= 0) {
      machine.raised(state, null, failure);
      handle(state, frame, failure);
      return true;
    }
    return !raise(state, frame.outer(), failure);
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
      undoLog.take(frame, root, undo);
      if (frame != root) {
        frame.setClosed(true);
        unregister(state, frame);
        CancelCause.add(state, frame);
        if (frame.scope != null && !frame.scope.held.isEmpty()) {
          holding.add(frame);
        }
      }
    }
    state.visited = visited;
    tokens.sort(Comparator.comparingInt(token -> token.id));
    tokens.forEach(token -> drop(state, token));
    holding.sort(Comparator.comparingInt(frame -> frame.id));
    root.dropChildren();
    if (root.net != null) {
      root.setNet(new NetState(machine.pools.nets()[root.spec]));
    }
    holding.forEach(frame -> machine.places.giveBack(state, frame));
    return undo;
  }

  /// Withdraws tokens and frames in one step: all their tokens in the order of their ids, then each
  /// frame.
  void withdrawAll(ExecState state, List<Token> tokens, List<Frame> frames) {
    List<Token> all = new ArrayList<>(tokens);
    Deque<Frame> open = new ArrayDeque<>();
    frames.stream().filter(frame -> frame.undoing == null).forEach(open::push);
    while (!open.isEmpty()) {
      Frame frame = open.pop();
      for (Token token = frame.firstToken; token != null; token = token.next) {
        all.add(token);
      }
      for (Frame child = frame.firstChild; child != null; child = child.next) {
        open.push(child);
      }
    }
    all.sort(Comparator.comparingInt(token -> token.id));
    all.forEach(token -> drop(state, token));
    for (Frame frame : frames) {
      if (!frame.closed) {
        end(state, frame, Ending.of(Ending.Kind.WITHDRAW));
      }
    }
  }

  /// Removes one token and notifies its frame.
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
        String task = token.task(state.program).name();
        machine.trace(state, TraceEvent.Kind.WITHDRAWN, "CANCEL-EFFECT", token, task, "");
        token.setWait(null);
      }
      case AWAIT -> machine.places.stopWaiting(state, token);
      case HELD -> {
        state.externalWaits--;
        token.setWait(null);
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
      CancelCause.settled(state);
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
      frame.setUndoing(new Undoing(undoing.rest.subList(1, undoing.rest.size()), undoing.ending));
      undoNext(state, frame);
      return;
    }
    close(state, frame);
  }

  private boolean isOver(Frame frame) {
    return frame.isEmpty()
        && !frame.closed
        && !(frame.net != null && isPending(frame.net))
        && !(frame.set != null && machine.instances.awaitsClose(frame));
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
    frame.setClosed(true);
    if (frame.kind == Frame.Kind.CASE) {
      endCase(state);
      return;
    }
    Frame outer = frame.outer();
    outer.detach(frame);
    unregister(state, frame);
    undoLog.pass(frame);
    machine.places.giveBack(state, frame);
    if (!frame.delivered) {
      switch (frame.kind) {
        case BLOCK -> {
          if (java.util.Objects.requireNonNull(frame.join).aborted) {
            CancelCause.note(state, machine.blocks.shortage(frame));
          }
        }
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
    CancelCause.end(state);
    machine.trace(state, TraceEvent.Kind.ENDED, "END", null, "", state.status.name());
    Invariant.check(state.live == 0, "I10 an ended case has no token", state.live);
  }

  private void unregister(ExecState state, Frame frame) {
    switch (frame.kind) {
      case REGION -> {
        Pool.Region region = machine.pools.regions()[frame.spec];
        state.named(region.name()).remove(frame.id);
        if (region.marking() >= 0) {
          machine.places.unmark(state, frame, region.marking());
        }
      }
      case SET -> {
        state.named(machine.pools.instances()[frame.spec].name()).remove(frame.id);
        machine.instances.settled(state, frame);
      }
      case NET -> {
        if (state.nets != null) {
          state.nets.remove(frame.id);
        }
      }
      case GROUP -> state.groups().remove(frame.id);
      default -> {}
    }
  }

  /// Records a completed task that can be undone.
  void record(ExecState state, Token token, int task, long lineage) {
    undoLog.record(state, token, task, lineage);
  }
}
