package dev.damask.exec;

import dev.damask.exec.StateRecords.Parts;
import dev.damask.exec.StateRecords.Piece;
import dev.damask.migration.Relocation;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.state.ExecutionCounts;
import dev.damask.state.Frame;
import dev.damask.state.NetState;
import dev.damask.state.PartMarks.Entries;
import dev.damask.state.PlaceState;
import dev.damask.state.Token;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Puts the parts that [PartWriter] wrote together to the bytes of a whole state, which
/// [StateReader] reads and checks.
final class StateAssembly {
  private final Machine machine;
  private final Program.Pools pools;
  private final Parts parts;
  private final boolean stamped;
  private final Encoder out = new Encoder();
  private final Map<Integer, Frame.Kind> kinds = new HashMap<>();
  private final Map<Integer, Integer> specs = new HashMap<>();
  private final TreeMap<Integer, Queued> queued = new TreeMap<>();
  private final Map<Integer, List<Queued>> queues = new HashMap<>(); // by frame
  private final ExecutionCounts counts = new ExecutionCounts();
  private long clock;

  /// A token that waits on an arc of a join.
  private record Queued(int token, int frame, int arc, int number) {}

  /// A part that is being read.
  private static final class Reading {
    final Decoder in;
    private final int[] contexts;
    private int next;

    Reading(Piece piece) {
      this.in = new Decoder(piece.body());
      this.contexts = piece.contexts();
    }

    /// The number of its next context, plus one; 0 for none.
    int context() {
      return contexts[next++];
    }

    void end() {
      in.requireEnd();
      if (next != contexts.length) {
        throw in.damaged("a part has more contexts than it should have");
      }
    }
  }

  StateAssembly(Machine machine, Parts parts) {
    this.machine = machine;
    this.pools = machine.program.pools();
    this.parts = parts;
    this.stamped = pools.tracksWrites();
  }

  /// @param contexts by number
  ExecState state(List<Context> contexts) {
    head();
    parts.tokens.forEach(this::noteQueued);
    out.natural(parts.frames.size());
    parts.frames.forEach(this::frame);
    out.natural(parts.tokens.size());
    List<Integer> executions = new ArrayList<>();
    parts.tokens.forEach((id, piece) -> token(id, piece, executions));
    places(0, pools.placeCount());
    for (int id : parts.frames.keySet()) {
      if (kinds.get(id) == Frame.Kind.CALL) {
        places(id, pools.entries()[specs.getOrDefault(id, 0)].localPlaces());
      }
    }
    tail(executions);
    Decoder in = new Decoder(out.toBytes());
    ExecState state =
        new StateReader(machine, in, StateCodec.VERSION, Relocation.none(machine.program), contexts)
            .read();
    restore(state);
    return state;
  }

  private void head() {
    Reading part = new Reading(parts.head);
    out.octet(part.in.octet());
    out.natural(part.in.natural());
    clock = part.in.whole();
    out.whole(clock);
    out.natural(part.in.natural());
    out.natural(part.in.natural());
    out.natural(part.context());
    failure(part);
    part.end();
  }

  private void failure(Reading part) {
    boolean isThere = part.in.flag();
    out.flag(isThere);
    if (isThere) {
      plainFailure(part.in);
      int attached = part.in.count();
      out.natural(attached);
      for (int i = 0; i < attached; i++) {
        plainFailure(part.in);
      }
    }
  }

  private void plainFailure(Decoder in) {
    out.text(in.text());
    out.text(in.text());
    out.text(in.text());
    out.natural(in.natural());
    out.text(in.text());
  }

  private void frame(int id, Piece piece) {
    Reading part = new Reading(piece);
    int octet = part.in.octet();
    int flags = octet & (StateWriter.DELIVERED | StateWriter.UNDOING);
    Frame.Kind kind = part.in.oneOf(Frame.Kind.byNumber(), octet - flags);
    out.natural(id);
    out.octet(octet);
    kinds.put(id, kind);
    int spec = 0;
    if (kind != Frame.Kind.CASE) {
      int parent = part.in.below(Integer.MAX_VALUE);
      spec = part.in.below(Integer.MAX_VALUE);
      out.natural(parent);
      out.natural(spec);
      out.fixed(part.in.fixed());
      node(parent, part.in.natural());
    }
    specs.put(id, spec);
    out.natural(required(part));
    stamps(part);
    loops(part);
    if ((flags & StateWriter.UNDOING) != 0) {
      undoing(id, part);
    }
    switch (kind) {
      case REGION -> scope(id, part);
      case CALL -> {
        out.natural(part.in.natural());
        out.natural(part.in.natural());
      }
      case BLOCK -> join(id, part);
      case SET -> set(id, part);
      case NET -> net(id, part, pools.nets()[spec]);
      case GROUP -> group(part);
      case CASE, BRANCH, INSTANCE -> {}
    }
    part.end();
  }

  /// Only what is directly in a net or a join group has a node.
  private void node(int frame, long node) {
    Frame.Kind kind = kinds.get(frame);
    if (kind == Frame.Kind.NET || kind == Frame.Kind.GROUP) {
      out.natural(node);
    }
  }

  private static int required(Reading part) {
    int number = part.context();
    if (number == 0) {
      throw part.in.damaged("a context is missing");
    }
    return number - 1;
  }

  private void stamps(Reading part) {
    if (stamped) {
      out.natural(required(part));
    }
  }

  private void loops(Reading part) {
    if (pools.loopSlots() > 0) {
      boolean isThere = part.in.flag();
      out.flag(isThere);
      for (int i = 0; isThere && i < pools.loopSlots(); i++) {
        out.natural(part.in.natural());
      }
    }
  }

  private void undoing(int id, Reading part) {
    int rest = part.in.below(Integer.MAX_VALUE);
    SortedMap<Long, Piece> entries = of(id, Entries.REST);
    requireCount(part.in, entries.size() == rest);
    out.natural(rest);
    List<Piece> reversed = new ArrayList<>(entries.values()).reversed();
    reversed.forEach(this::undo);
    out.octet(part.in.octet());
    failure(part);
    out.natural(required(part));
    stamps(part);
  }

  private static void requireCount(Decoder in, boolean fits) {
    if (!fits) {
      throw in.damaged("a list has lost entries");
    }
  }

  private void undo(Piece piece) {
    Reading part = new Reading(piece);
    out.natural(part.in.natural());
    out.natural(part.in.natural());
    out.natural(required(part));
    stamps(part);
    out.fixed(part.in.fixed());
    int tasks = pools.tasks().length;
    int task = part.in.below(tasks);
    String label = part.in.text();
    out.natural(label.isEmpty() ? task : task + tasks);
    if (!label.isEmpty()) {
      out.text(label);
    }
    part.end();
  }

  private SortedMap<Long, Piece> of(int owner, int kind) {
    return parts.of(owner).subMap(Entries.key(kind, 0), Entries.key(kind + 1, 0));
  }

  private void scope(int id, Reading part) {
    int held = part.in.below(Integer.MAX_VALUE);
    out.natural(held);
    for (int i = 0; i < held; i++) {
      out.natural(required(part));
    }
    boolean isTimed = part.in.flag();
    out.flag(isTimed);
    if (isTimed) {
      out.whole(part.in.whole() - clock);
      out.natural(part.in.natural());
    }
    SortedMap<Long, Piece> log = of(id, Entries.UNDO);
    out.natural(log.size());
    log.values().forEach(this::undo);
  }

  private void join(int id, Reading part) {
    int count = part.in.below(Integer.MAX_VALUE);
    SortedMap<Long, Piece> got = of(id, Entries.GOT);
    out.natural(count);
    for (int i = 0; i < count; ) {
      int first = part.in.below(Integer.MAX_VALUE);
      int run = part.in.below(count - i + 1);
      requireCount(part.in, run > 0);
      for (int k = 0; k < run; k++, i++) {
        out.natural(first + k);
        Piece piece = got.get(Entries.key(Entries.GOT, i));
        Reading entry = piece == null ? null : new Reading(piece);
        out.natural(entry == null ? 0 : entry.context());
        if (stamped) {
          out.natural(entry == null ? 0 : entry.context());
        }
      }
    }
    requireCount(part.in, got.isEmpty() || Entries.number(got.lastKey()) < count);
    out.natural(part.in.natural());
    out.flag(part.in.flag());
    out.flag(part.in.flag());
    out.flag(part.in.flag());
  }

  private void set(int id, Reading part) {
    out.natural(part.in.natural());
    out.natural(part.in.natural());
    out.flag(part.in.flag());
    out.flag(part.in.flag());
    out.whole(part.in.whole());
    SortedMap<Long, Piece> got = of(id, Entries.GOT);
    out.natural(got.size());
    got.forEach((key, piece) -> {
      out.natural(Entries.number(key));
      out.natural(required(new Reading(piece)));
    });
  }

  private void net(int id, Reading part, Pool.Net net) {
    out.natural(part.in.natural());
    out.natural(required(part));
    stamps(part);
    for (int node = 0; node < net.nodes().length; node++) {
      if (net.nodes()[node].kind() == Pool.JoinKind.MERGE) {
        continue;
      }
      Piece piece = parts.of(id).get(Entries.key(Entries.NODE, node));
      Reading join = piece == null ? null : new Reading(piece);
      out.flag(join != null && join.in.flag());
      out.natural(join == null ? 0 : join.in.natural());
      for (int arc = 0; arc < net.nodes()[node].arcs(); arc++) {
        out.natural(join == null ? 0 : join.context());
        out.natural(join == null ? 0 : join.context());
        queue(id, net, node, arc);
      }
    }
  }

  private void queue(int id, Pool.Net net, int node, int position) {
    List<Queued> waiting = new ArrayList<>();
    for (Queued each : queues.getOrDefault(id, List.of())) {
      Pool.Arc arc = net.arcs()[each.arc()];
      if (arc.target() == node && arc.position() == position) {
        waiting.add(each);
      }
    }
    waiting.sort(Comparator.comparingInt(Queued::number));
    out.natural(waiting.size());
    waiting.forEach(each -> out.natural(each.token()));
  }

  private void group(Reading part) {
    out.flag(part.in.flag());
    out.natural(part.in.natural());
    // What its sources delivered; the outermost group has the result of all behind its counts.
    boolean isOutermost = !part.in.atEnd();
    int sources = part.contexts.length - part.next - (isOutermost ? 1 : 0);
    for (int i = 0; i < sources; i++) {
      out.natural(part.context());
    }
    if (isOutermost) {
      out.natural(part.in.natural());
      out.flag(part.in.flag());
      out.natural(part.in.natural());
      out.natural(part.context());
    }
  }

  /// Notes a token that waits on an arc; its frame has a queue.
  private void noteQueued(int id, Piece piece) {
    Reading part = new Reading(piece);
    int frame = part.in.below(Integer.MAX_VALUE);
    part.in.natural();
    int octet = part.in.octet();
    int flags = octet & ~(StateWriter.LINEAGE - 1);
    if (part.in.oneOf(Token.State.byNumber(), octet - flags) == Token.State.QUEUED) {
      int slots = pools.loopSlots() > 0 && part.in.flag() ? pools.loopSlots() : 0;
      for (int i = 0; i < slots; i++) {
        part.in.natural();
      }
      if ((flags & StateWriter.LINEAGE) != 0) {
        part.in.fixed();
      }
      part.in.natural();
      part.in.natural();
      int arc = part.in.below(Integer.MAX_VALUE);
      Queued each = new Queued(id, frame, arc, part.in.below(Integer.MAX_VALUE));
      queued.put(id, each);
      queues.computeIfAbsent(frame, _ -> new ArrayList<>()).add(each);
    }
  }

  private void token(int id, Piece piece, List<Integer> executions) {
    Reading part = new Reading(piece);
    int frame = part.in.below(Integer.MAX_VALUE);
    out.natural(id);
    out.natural(frame);
    out.natural(part.in.natural());
    int octet = part.in.octet();
    int flags = octet & ~(StateWriter.LINEAGE - 1);
    Token.State tokenState = part.in.oneOf(Token.State.byNumber(), octet - flags);
    out.octet(octet);
    out.natural(required(part));
    stamps(part);
    loops(part);
    if ((flags & StateWriter.LINEAGE) != 0) {
      out.fixed(part.in.fixed());
    }
    out.natural(part.in.natural());
    node(frame, part.in.natural());
    if (kinds.get(frame) == Frame.Kind.GROUP) {
      out.natural(part.in.natural());
      out.natural(part.in.natural());
      out.text(part.in.text());
    }
    if (tokenState == Token.State.QUEUED) {
      out.natural(part.in.natural());
      part.in.natural();
    } else if (tokenState != Token.State.READY) {
      out.natural(part.in.natural());
      if ((flags & StateWriter.DUE) != 0) {
        out.whole(part.in.whole() - clock);
      }
      out.natural(part.in.natural());
      int execution = part.in.below(Integer.MAX_VALUE);
      if (tokenState == Token.State.EFFECT) {
        executions.add(execution);
      }
    }
    part.end();
  }

  private void places(int owner, int count) {
    SortedMap<Long, Piece> all = of(owner, Entries.PLACE);
    for (int place = 0; place < count; place++) {
      SortedMap<Long, Piece> tokens =
          all.subMap(
              Entries.key(Entries.PLACE, Entries.token(place, 0)),
              Entries.key(Entries.PLACE, Entries.token(place + 1, 0)));
      out.natural(tokens.size());
      tokens.values().forEach(piece -> out.natural(required(new Reading(piece))));
    }
  }

  private void tail(List<Integer> executions) {
    Piece cancelled = parts.of(0).get(Entries.key(Entries.CANCELLED, 0));
    SortedMap<Long, Piece> chunks = of(0, Entries.COUNT);
    SortedMap<Long, Piece> late = of(0, Entries.LATE);
    int sections = !late.isEmpty() ? 3 : !chunks.isEmpty() ? 2 : cancelled != null ? 1 : 0;
    chunks.forEach((key, piece) -> counts.read(Entries.number(key), new Decoder(piece.body())));
    if (sections > 0) {
      Decoder names = cancelled == null ? null : new Decoder(cancelled.body());
      int count = names == null ? 0 : names.count();
      out.natural(count);
      for (int i = 0; names != null && i < count; i++) {
        out.text(names.text());
      }
    }
    if (sections > 1 && chunks.isEmpty()) {
      out.natural(0);
    } else if (sections > 1) {
      counts.write(out);
      executions.forEach(out::natural);
    }
    if (sections > 2) {
      out.natural(late.size());
      late.values().forEach(piece -> plainFailure(new Decoder(piece.body())));
    }
  }

  /// Sets what the bytes of a whole state do not have: the numbers of entries.
  private void restore(ExecState state) {
    if (state.executions != null) {
      state.executions.renumber(counts);
    }
    if (state.places != null) {
      number(0, state.places);
    }
    for (Frame frame : StateWalk.frames(state)) {
      if (frame.places != null) {
        number(frame.id, frame.places);
      }
      of(frame.id, Entries.NODE).forEach((key, piece) -> arrivals(frame, key, piece));
    }
    for (Token token : StateWalk.tokens(state)) {
      Queued own = queued.get(token.id);
      token.setQueued(own == null ? 0 : own.number());
    }
  }

  private static void arrivals(Frame frame, long key, Piece piece) {
    Decoder in = new Decoder(piece.body());
    in.flag();
    in.natural();
    NetState net = java.util.Objects.requireNonNull(frame.net);
    net.arcs((int) Entries.number(key)).arrivals = in.below(Integer.MAX_VALUE);
  }

  private void number(int owner, PlaceState[] places) {
    for (int place = 0; place < places.length; place++) {
      long from = Entries.key(Entries.PLACE, Entries.token(place, 0));
      Long first = parts.of(owner).ceilingKey(from);
      if (!places[place].tokens.isEmpty() && first != null) {
        places[place].first = Entries.number(first) & 0xFFFF_FFFFL;
      }
    }
  }
}
