package dev.damask.exec;

import dev.damask.exec.Frame.UndoEntry;
import dev.damask.exec.StateCodec.ContextTable;
import dev.damask.task.Context;
import dev.damask.task.Encoder;
import dev.damask.task.ProcessInfo;
import java.util.ArrayList;
import java.util.Comparator;
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

  private static final int ROOM = 64; // for what every state has

  private final ExecState state;
  private final Encoder body = new Encoder();
  private final ContextTable contexts = new ContextTable();

  /// How to number what is written; null when everything keeps its own number.
  private final @Nullable Canonical canonical;

  StateWriter(ExecState state) {
    this(state, null);
  }

  /// With a canonical numbering nothing is written that only data or the past decides: contexts,
  /// stamps, lineages, counters of steps, the time.
  StateWriter(ExecState state, @Nullable Canonical canonical) {
    this.state = state;
    this.canonical = canonical;
  }

  byte[] write() {
    List<Frame> frames = canonical == null ? frames() : canonical.frames();
    body.octet(state.status.ordinal());
    head();
    body.natural(frames.size());
    frames.forEach(this::frame);
    List<Token> tokens = canonical == null ? tokens(frames) : canonical.tokens();
    body.natural(tokens.size());
    tokens.forEach(this::token);
    places(state.places);
    for (Frame frame : frames) {
      if (frame.places != null) {
        places(frame.places);
      }
    }

    Encoder out = new Encoder(ROOM + body.length() + contexts.weight());
    out.octet(StateCodec.VERSION);
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
    if (canonical != null) {
      body.natural(canonical.undoEntries());
      body.whole(0);
      body.natural(canonical.lastId());
      body.natural(canonical.lastWait());
      optional(null);
      body.flag(false);
      return;
    }
    body.natural(state.steps);
    body.whole(state.clock);
    body.natural(state.lastId);
    body.natural(state.lastWait);
    optional(state.result);
    body.flag(state.failure != null);
    if (state.failure != null) {
      failure(state.failure);
    }
  }

  private int id(Frame frame) {
    return canonical == null ? frame.id : canonical.id(frame);
  }

  private int id(Token token) {
    return canonical == null ? token.id : canonical.id(token);
  }

  private void lineage(long lineage) {
    body.fixed(canonical == null ? lineage : 0);
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
    body.natural(id(frame));
    int flags = (frame.delivered ? DELIVERED : 0) | (frame.undoing != null ? UNDOING : 0);
    body.octet(frame.kind.ordinal() | flags);
    if (frame.parent != null) {
      body.natural(id(frame.parent));
      body.natural(canonical == null ? frame.spec : canonical.spec(frame));
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
      body.natural(canonical == null ? scope.dueOrder : canonical.wait(frame));
    }
    undoEntries(scope.undoLog == null ? List.of() : scope.undoLog);
  }

  private void undoEntries(List<UndoEntry> entries) {
    body.natural(entries.size());
    for (UndoEntry entry : entries) {
      body.natural(canonical == null ? entry.order() : canonical.undoOrder(entry));
      body.natural(entry.address());
      context(entry.context());
      stamps(entry.stamps());
      lineage(entry.lineage());
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
    if (canonical != null) {
      // That there is a failure decides what follows; which one it is only decides data.
      failure(new Failure("", "", "", 1, ""), body);
      body.natural(0);
      return;
    }
    failure(failure, body);
    body.natural(failure.attached().size());
    for (Failure attached : failure.attached()) {
      failure(attached, body);
    }
  }

  private static void failure(Failure failure, Encoder body) {
    body.text(failure.task());
    body.text(failure.reason());
    body.text(failure.detail());
    body.natural(failure.attempt());
    body.text(failure.place());
  }

  private void join(JoinCounter join) {
    body.natural(join.selected.length);
    boolean over = canonical != null && join.isDecided();
    for (int i = 0; i < join.selected.length; i++) {
      body.natural(join.selected[i]);
      optional(over ? null : join.got[i]);
      if (join.gotStamps != join.got) {
        optional(over ? null : join.gotStamps[i]);
      }
    }
    body.natural(over ? 0 : join.dead);
    body.flag(join.fired);
    body.flag(join.aborted);
  }

  private void set(Frame frame, InstanceSet set) {
    if (canonical != null) {
      set(Canonical.shape(frame), set);
      return;
    }
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

  private void set(Canonical.SetShape shape, InstanceSet set) {
    body.natural(shape.made());
    body.natural(shape.dead());
    body.flag(set.fired);
    body.flag(set.sealed);
    body.whole(set.need);
    body.natural(shape.got());
    for (int number = 1; number <= shape.got(); number++) {
      body.natural(number);
      context(Context.empty());
    }
  }

  private void net(NetState net) {
    body.natural(canonical == null ? net.ended : Math.min(1, net.ended));
    context(net.result);
    stamps(net.resultStamps);
    for (NetState.Arcs arcs : net.joins) {
      if (arcs == null) {
        continue;
      }
      body.flag(arcs.fired);
      body.natural(canonical == null ? arcs.firings : 0);
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
    body.natural(group.target == null ? 0 : id(group.target));
    for (Context piece : group.got) {
      optional(canonical != null && group.closed ? null : piece);
    }
    if (group.join < 0) {
      body.natural(canonical == null ? group.made : 0);
      body.flag(group.paused);
      body.natural(canonical == null ? group.cost : 0);
      optional(group.result);
    }
  }

  private void queue(Deque<Token> queue) {
    body.natural(queue.size());
    if (canonical == null) {
      queue.forEach(token -> body.natural(token.id));
    } else {
      // Without contexts the tokens of one queue are all the same.
      queue.stream().mapToInt(this::id).sorted().forEach(body::natural);
    }
  }

  private void token(Token token) {
    body.natural(id(token));
    body.natural(id(token.frame));
    body.natural(token.ip);
    Wait wait = token.wait;
    int flags = token.lineage != 0 && canonical == null ? LINEAGE : 0;
    if (wait != null) {
      flags |= wait.due != Timers.NEVER ? DUE : 0;
      flags |= wait.retrying ? RETRYING : 0;
      flags |= wait.holds ? HOLDS : 0;
    }
    body.octet(token.state.ordinal() | flags);
    context(token.context);
    stamps(token.stamps);
    loops(token.loops);
    if ((flags & LINEAGE) != 0) {
      body.fixed(token.lineage);
    }
    body.natural(canonical == null ? token.ordinal : 0);
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
    body.natural(canonical == null ? process.number() : 0);
    body.natural(canonical == null ? process.parent() : 0);
    body.text(canonical == null ? process.from() : "");
  }

  /// The id of an effect is not written: it follows from the lineage and the ordinal of the token.
  private void wait(Token token, Wait wait) {
    body.natural(canonical == null ? wait.number : canonical.wait(token));
    if (wait.due != Timers.NEVER) {
      body.whole(canonical == null ? wait.due - state.clock : 1);
    }
    if (token.state == Token.State.EFFECT) {
      body.natural(canonical == null ? wait.attempt : 1);
    } else {
      body.natural(wait.timerAlternative + 1L);
    }
  }

  /// Only what stands directly in a net or a join group has a node.
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
    body.natural(contexts.number(canonical == null ? context : Context.empty()));
  }

  private void optional(@Nullable Context context) {
    Context written = canonical == null ? context : Context.empty();
    body.natural(context == null || written == null ? 0 : contexts.number(written) + 1L);
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
      body.whole(canonical == null ? due - state.clock : 1);
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
