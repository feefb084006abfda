package dev.damask.exec;

import dev.damask.exec.Frame.UndoEntry;
import dev.damask.exec.StateCodec.ContextTable;
import dev.damask.task.Context;
import dev.damask.task.Encoder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The writing half of [StateCodec].
final class StateWriter {
  /// Flags beside the kind of a frame.
  static final int DELIVERED = 16;

  static final int UNDOING = 32;

  /// Flags beside the state of a token.
  static final int LINEAGE = 8;

  static final int DUE = 16;
  static final int RETRYING = 32;
  static final int HOLDS = 64;

  private final ExecState state;
  private final Encoder body = new Encoder();
  private final ContextTable contexts = new ContextTable();

  StateWriter(ExecState state) {
    this.state = state;
  }

  byte[] write() {
    List<Frame> frames = frames();
    body.octet(state.status.ordinal());
    body.natural(state.steps);
    body.whole(state.clock);
    body.natural(state.lastId);
    body.natural(state.lastWait);
    optional(state.result);
    body.flag(state.failure != null);
    if (state.failure != null) {
      failure(state.failure);
    }
    body.natural(frames.size());
    frames.forEach(this::frame);
    List<Token> tokens = tokens(frames);
    body.natural(tokens.size());
    tokens.forEach(this::token);
    places(state.places);
    frames.stream().filter(f -> f.places != null).forEach(f -> places(f.places));

    Encoder out = new Encoder();
    out.octet(StateCodec.VERSION);
    out.fixed(state.program.hash().high());
    out.fixed(state.program.hash().low());
    contexts.write(out);
    out.raw(body.toBytes());
    int sum = StateCodec.checksum(out.toBytes(), out.length());
    for (int shift = 24; shift >= 0; shift -= 8) {
      out.octet(sum >>> shift);
    }
    return out.toBytes();
  }

  /// All open frames in the order of their ids, so that parents come first.
  private List<Frame> frames() {
    List<Frame> frames = new ArrayList<>();
    if (!state.root.closed) {
      frames.add(state.root);
    }
    for (int i = 0; i < frames.size(); i++) {
      frames.addAll(frames.get(i).childList());
    }
    frames.sort(Comparator.comparingInt(frame -> frame.id));
    return frames;
  }

  private static List<Token> tokens(List<Frame> frames) {
    List<Token> tokens = new ArrayList<>();
    for (Frame frame : frames) {
      for (Token token = frame.firstToken; token != null; token = token.next) {
        tokens.add(token);
      }
    }
    tokens.sort(Comparator.comparingInt(token -> token.id));
    return tokens;
  }

  private void frame(Frame frame) {
    body.natural(frame.id);
    int flags = (frame.delivered ? DELIVERED : 0) | (frame.undoing != null ? UNDOING : 0);
    body.octet(frame.kind.ordinal() | flags);
    if (frame.parent != null) {
      body.natural(frame.parent.id);
      body.natural(frame.spec);
      body.fixed(frame.lineage);
      node(frame.parent, frame.node);
    }
    context(frame.entry);
    stamps(frame.entryStamps);
    loops(frame.loops);
    if (frame.undoing != null) {
      undoing(frame.undoing);
    }
    switch (frame.kind) {
      case REGION -> scope(java.util.Objects.requireNonNull(frame.scope));
      case CALL -> {
        body.natural(frame.depth);
        body.natural(frame.returnAddress);
      }
      case BLOCK -> join(java.util.Objects.requireNonNull(frame.join));
      case SET -> set(java.util.Objects.requireNonNull(frame.set));
      case NET -> net(java.util.Objects.requireNonNull(frame.net));
      case CASE, BRANCH, INSTANCE -> {}
    }
  }

  private void scope(Frame.Scope scope) {
    body.natural(scope.held.size());
    scope.held.forEach(this::context);
    time(scope.due);
    if (scope.due != Timers.NEVER) {
      body.natural(scope.dueOrder);
    }
    undoEntries(scope.undoLog == null ? List.of() : scope.undoLog);
  }

  private void undoEntries(List<UndoEntry> entries) {
    body.natural(entries.size());
    for (UndoEntry entry : entries) {
      body.natural(entry.order());
      body.natural(entry.address());
      context(entry.context());
      stamps(entry.stamps());
      body.fixed(entry.lineage());
      body.natural(entry.task());
    }
  }

  private void undoing(Undoing undoing) {
    undoEntries(undoing.rest);
    Undoing.Ending ending = undoing.ending;
    body.octet(ending.kind().ordinal());
    body.flag(ending.failure() != null);
    if (ending.failure() != null) {
      failure(ending.failure());
    }
    context(ending.context());
    stamps(ending.stamps());
  }

  private void failure(Failure failure) {
    body.text(failure.task());
    body.text(failure.reason());
    body.text(failure.detail());
    body.natural(failure.attempt());
    body.text(failure.place());
    body.natural(failure.attached().size());
    for (Failure attached : failure.attached()) {
      body.text(attached.task());
      body.text(attached.reason());
      body.text(attached.detail());
      body.natural(attached.attempt());
      body.text(attached.place());
    }
  }

  private void join(JoinCounter join) {
    body.natural(join.selected.length);
    for (int i = 0; i < join.selected.length; i++) {
      body.natural(join.selected[i]);
      optional(join.got[i]);
      if (join.gotStamps != join.got) {
        optional(join.gotStamps[i]);
      }
    }
    body.natural(join.dead);
    body.flag(join.fired);
    body.flag(join.aborted);
  }

  private void set(InstanceSet set) {
    body.natural(set.made);
    body.natural(set.dead);
    body.flag(set.fired);
    body.flag(set.sealed);
    body.whole(set.need);
    body.natural(set.got.size());
    set.got.forEach((number, context) -> {
      body.natural(number);
      context(context);
    });
  }

  private void net(NetState net) {
    body.natural(net.ended);
    context(net.result);
    stamps(net.resultStamps);
    for (NetState.Arcs arcs : net.joins) {
      if (arcs == null) {
        continue;
      }
      body.flag(arcs.fired);
      body.natural(arcs.firings);
      for (int i = 0; i < arcs.queues.length; i++) {
        optional(arcs.seen[i]);
        optional(arcs.seenStamps[i]);
        queue(arcs.queues[i]);
      }
    }
  }

  private void queue(Deque<Token> queue) {
    body.natural(queue.size());
    queue.forEach(token -> body.natural(token.id));
  }

  private void token(Token token) {
    body.natural(token.id);
    body.natural(token.frame.id);
    body.natural(token.ip);
    Wait wait = token.wait;
    int flags = token.lineage != 0 ? LINEAGE : 0;
    if (wait != null) {
      flags |= wait.due != Timers.NEVER ? DUE : 0;
      flags |= wait.retrying ? RETRYING : 0;
      flags |= wait.holds ? HOLDS : 0;
    }
    body.octet(token.state.ordinal() | flags);
    context(token.context);
    stamps(token.stamps);
    loops(token.loops);
    if (token.lineage != 0) {
      body.fixed(token.lineage);
    }
    body.natural(token.ordinal);
    node(token.frame, token.node);
    if (token.state == Token.State.QUEUED) {
      body.natural(token.arc);
    }
    if (wait != null) {
      wait(wait, token.state == Token.State.EFFECT);
    }
  }

  /// The id of an effect is not written: it follows from the lineage and the ordinal of the token.
  private void wait(Wait wait, boolean effect) {
    body.natural(wait.number);
    if (wait.due != Timers.NEVER) {
      body.whole(wait.due - state.clock);
    }
    body.natural(effect ? wait.attempt : wait.timerAlternative + 1L);
  }

  /// Only what stands directly in a net has a node.
  private void node(Frame frame, int node) {
    if (frame.kind == Frame.Kind.NET) {
      body.natural(node + 1L);
    }
  }

  private void places(PlaceState @Nullable [] places) {
    if (places == null) {
      return;
    }
    for (PlaceState place : places) {
      body.natural(place.tokens.size());
      place.tokens.forEach(this::context);
    }
  }

  private void context(Context context) {
    body.natural(contexts.number(context));
  }

  private void optional(@Nullable Context context) {
    body.natural(context == null ? 0 : contexts.number(context) + 1L);
  }

  /// Stamps exist only in programs with graph joins; others spend no byte on them.
  private void stamps(Context stamps) {
    if (state.program.pools().stamps()) {
      context(stamps);
    }
  }

  private void time(long due) {
    body.flag(due != Timers.NEVER);
    if (due != Timers.NEVER) {
      body.whole(due - state.clock);
    }
  }

  private void loops(long @Nullable [] loops) {
    if (state.program.pools().loopSlots() == 0) {
      return;
    }
    body.flag(loops != null);
    if (loops != null) {
      for (long rounds : loops) {
        body.natural(rounds);
      }
    }
  }
}
