package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.exec.StateCodec.ContextTable;
import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.Frame.UndoEntry;
import dev.damask.state.GroupState;
import dev.damask.state.InstanceSet;
import dev.damask.state.JoinCounter;
import dev.damask.state.NetState;
import dev.damask.state.PlaceState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Wait;
import dev.damask.state.Undoing;
import dev.damask.task.ProcessInfo;
import dev.damask.value.Context;
import dev.damask.value.Encoder;
import java.util.Deque;
import java.util.List;
import java.util.zip.CRC32C;
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
  static final int COMPUTES = 128;

  private static final int ROOM = 64; // for what every state has

  private final ExecState state;
  private final Encoder body = new Encoder();
  private final ContextTable contexts = new ContextTable();

  /// Whether stamps are written; other programs spend no byte on them.
  private final boolean stamped;

  private final Numbering numbering;

  /// With a canonical numbering nothing is written that only data or the past decides: contexts,
  /// stamps, lineages, counters of steps, the time.
  StateWriter(ExecState state, Numbering numbering) {
    this.state = state;
    this.numbering = numbering;
    Program.Pools pools = state.program.pools();
    this.stamped = numbering.isComplete() ? pools.tracksWrites() : pools.stamps();
  }

  byte[] write() {
    List<Frame> frames = numbering.frames();
    body.octet(state.status.number());
    head();
    body.natural(frames.size());
    frames.forEach(this::frame);
    List<Token> tokens = numbering.tokens();
    body.natural(tokens.size());
    tokens.forEach(this::token);
    places(state.places);
    for (Frame frame : frames) {
      if (frame.places != null) {
        places(frame.places);
      }
    }

    if (numbering.isComplete()) {
      StateTail.write(state, tokens, body);
    }

    int copied = Math.min(body.length(), Encoder.KEPT_MIN);
    Encoder out = new Encoder(ROOM + copied + contexts.weight());
    out.octet(numbering.isComplete() ? StateCodec.VERSION : StateCodec.OLDEST);
    out.fixed(state.program.hash().high());
    out.fixed(state.program.hash().low());
    contexts.write(out);
    out.raw(body);
    CRC32C crc = new CRC32C();
    out.addTo(crc);
    int sum = (int) crc.getValue();
    for (int shift = 24; shift >= 0; shift -= 8) {
      out.octet(sum >>> shift);
    }
    return out.toBytes();
  }

  private void head() {
    body.natural(numbering.steps());
    body.whole(numbering.past(state.clock));
    body.natural(numbering.lastId());
    body.natural(numbering.lastWait());
    optional(numbering.isComplete() ? state.result : null);
    Failure failure = numbering.isComplete() ? state.failure : null;
    body.flag(failure != null);
    if (failure != null) {
      failure(failure);
    }
  }

  private void lineage(long lineage) {
    body.fixed(numbering.past(lineage));
  }

  private void frame(Frame frame) {
    body.natural(numbering.id(frame));
    int flags = (frame.delivered ? DELIVERED : 0) | (frame.undoing != null ? UNDOING : 0);
    body.octet(frame.kind.number() | flags);
    if (frame.parent != null) {
      body.natural(numbering.id(frame.parent));
      body.natural(numbering.spec(frame));
      lineage(frame.lineage);
      node(frame.parent, frame.node);
    }
    context(frame.entry);
    stamps(frame.entryStamps);
    loops(frame.loops);
    if (frame.undoing != null) {
      undoing(frame.undoing);
    }
    switch (frame.kind) {
      case REGION -> scope(frame, java.util.Objects.requireNonNull(frame.scope));
      case CALL -> {
        body.natural(frame.depth);
        body.natural(frame.returnAddress);
      }
      case BLOCK -> join(java.util.Objects.requireNonNull(frame.join));
      case SET -> set(frame, java.util.Objects.requireNonNull(frame.set));
      case NET -> net(java.util.Objects.requireNonNull(frame.net));
      case GROUP -> group(java.util.Objects.requireNonNull(frame.group));
      case CASE, BRANCH, INSTANCE -> {}
    }
  }

  private void scope(Frame frame, Frame.Scope scope) {
    body.natural(scope.held.size());
    scope.held.forEach(this::context);
    time(scope.due);
    if (scope.due != Timers.NEVER) {
      body.natural(numbering.wait(frame));
    }
    undoEntries(scope.undoLog == null ? List.of() : scope.undoLog);
  }

  private void undoEntries(List<UndoEntry> entries) {
    body.natural(entries.size());
    for (UndoEntry entry : entries) {
      body.natural(numbering.undoOrder(entry));
      body.natural(entry.address());
      context(entry.context());
      stamps(entry.stamps());
      lineage(entry.lineage());
      // States from before labels were kept have a plain number here.
      String label = numbering.past(entry.label());
      boolean labelled = !label.isEmpty();
      body.natural(labelled ? entry.task() + state.program.pools().tasks().length : entry.task());
      if (labelled) {
        body.text(label);
      }
    }
  }

  private void undoing(Undoing undoing) {
    undoEntries(undoing.rest);
    Undoing.Ending ending = undoing.ending;
    body.octet(ending.kind().number());
    body.flag(ending.failure() != null);
    if (ending.failure() != null) {
      failure(ending.failure());
    }
    context(ending.context());
    stamps(ending.stamps());
  }

  private void failure(Failure failure) {
    Failure written = numbering.data(failure);
    failure(written, body);
    body.natural(written.attached().size());
    for (Failure attached : written.attached()) {
      failure(attached, body);
    }
  }

  static void failure(Failure failure, Encoder body) {
    body.text(failure.task());
    body.text(failure.reason());
    body.text(failure.detail());
    body.natural(failure.attempt());
    body.text(failure.place());
  }

  private void join(JoinCounter join) {
    body.natural(join.selected.length);
    boolean over = numbering.forgets(join);
    for (int i = 0; i < join.selected.length; i++) {
      body.natural(join.selected[i]);
      optional(over ? null : join.got[i]);
      if (stamped) {
        optional(over ? null : join.gotStamps[i]);
      }
    }
    body.natural(over ? 0 : join.dead);
    body.flag(join.fired);
    body.flag(join.aborted);
    if (numbering.isComplete()) {
      body.flag(join.byValue);
    }
  }

  private void set(Frame frame, InstanceSet set) {
    Numbering.SetShape shape = numbering.shape(frame);
    body.natural(shape.made());
    body.natural(shape.dead());
    body.flag(set.fired);
    body.flag(set.sealed);
    body.whole(set.need);
    body.natural(shape.got());
    numbering
        .delivered(frame)
        .forEach((number, context) -> {
          body.natural(number);
          context(context);
        });
  }

  private void net(NetState net) {
    body.natural(numbering.ended(net.ended));
    context(net.result);
    stamps(net.resultStamps);
    for (NetState.Arcs arcs : net.joins) {
      if (arcs == null) {
        continue;
      }
      body.flag(arcs.fired);
      body.natural(numbering.past(arcs.firings));
      for (int i = 0; i < arcs.queues.length; i++) {
        optional(arcs.seen[i]);
        optional(arcs.seenStamps[i]);
        queue(arcs.queues[i]);
      }
    }
  }

  /// Who is alive in a group is not written: it follows from the tokens.
  private void group(GroupState group) {
    body.flag(group.closed);
    body.natural(group.target == null ? 0 : numbering.id(group.target));
    for (Context piece : group.got) {
      optional(numbering.forgets(group) ? null : piece);
    }
    if (group.join < 0) {
      body.natural(numbering.past(group.made));
      body.flag(group.paused);
      body.natural(numbering.past(group.cost));
      optional(group.result);
    }
  }

  private void queue(Deque<Token> queue) {
    body.natural(queue.size());
    numbering.queue(queue).forEach(body::natural);
  }

  private void token(Token token) {
    body.natural(numbering.id(token));
    body.natural(numbering.id(token.frame));
    body.natural(token.ip);
    Wait wait = token.wait;
    int flags = numbering.past(token.lineage) != 0 ? LINEAGE : 0;
    if (wait != null) {
      flags |= wait.due != Timers.NEVER ? DUE : 0;
      flags |= wait.retrying ? RETRYING : 0;
      flags |= wait.holds ? HOLDS : 0;
      flags |= wait.computes ? COMPUTES : 0;
    }
    body.octet(token.state.number() | flags);
    context(token.context);
    stamps(token.stamps);
    loops(token.loops);
    if ((flags & LINEAGE) != 0) {
      body.fixed(token.lineage);
    }
    body.natural(numbering.past(token.ordinal));
    node(token.frame, token.node);
    if (token.process != null) {
      process(token.process);
    }
    if (token.state == Token.State.QUEUED) {
      body.natural(token.arc);
    }
    if (wait != null) {
      wait(token, wait);
    }
  }

  private void process(ProcessInfo process) {
    body.natural(numbering.past(process.number()));
    body.natural(numbering.past(process.parent()));
    body.text(numbering.past(process.from()));
  }

  /// The id of an effect is not written: it follows from the lineage and the ordinal of the token.
  private void wait(Token token, Wait wait) {
    body.natural(numbering.wait(token));
    if (wait.due != Timers.NEVER) {
      body.whole(numbering.left(wait.due));
    }
    if (token.state == Token.State.EFFECT) {
      body.natural(numbering.attempt(wait.attempt));
    } else {
      body.natural(wait.timerAlternative + 1L);
    }
  }

  /// Only what is directly in a net or a join group has a node.
  private void node(Frame frame, int node) {
    if (frame.kind == Frame.Kind.NET || frame.kind == Frame.Kind.GROUP) {
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
    body.natural(contexts.number(numbering.data(context)));
  }

  private void optional(@Nullable Context context) {
    body.natural(context == null ? 0 : contexts.number(numbering.data(context)) + 1L);
  }

  private void stamps(Context stamps) {
    if (stamped) {
      context(stamps);
    }
  }

  private void time(long due) {
    body.flag(due != Timers.NEVER);
    if (due != Timers.NEVER) {
      body.whole(numbering.left(due));
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
