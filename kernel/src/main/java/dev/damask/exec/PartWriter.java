package dev.damask.exec;

import dev.damask.encoding.ContextNumbers;
import dev.damask.encoding.Hashing;
import dev.damask.event.Failure;
import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.Frame.UndoEntry;
import dev.damask.state.GroupState;
import dev.damask.state.InstanceSet;
import dev.damask.state.Invariant;
import dev.damask.state.JoinCounter;
import dev.damask.state.NetState;
import dev.damask.state.Part;
import dev.damask.state.PartMarks.Entries;
import dev.damask.state.PlaceState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Wait;
import dev.damask.state.Undoing;
import dev.damask.value.Context;
import dev.damask.value.Encoder;
import dev.damask.value.Sum;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Writes single parts of a state. The fields of a part and the numbers of its contexts are kept
/// apart, because the hash of a part covers the hashes of its contexts and not their numbers.
///
/// [StateAssembly] reads what this writes.
final class PartWriter {
  static final int HEAD = 0;
  static final int FRAME = 1;
  static final int TOKEN = 2;

  private final ExecState state;
  private final Program.Pools pools;
  private final boolean stamped;
  private final Encoder body = new Encoder(64);
  private final Encoder hashed = new Encoder(128);
  private int[] numbers = new int[4];
  private int count;
  private int size;

  /// Where the contexts get their numbers; changed with every base.
  private ContextNumbers contexts;

  /// Contexts and stamps that were in use a moment ago; only hints.
  private final @Nullable Context[] recent = new Context[4];

  private final @Nullable Context[] recentStamps = new Context[4];
  private int next;

  /// Whether only hints may be used that follow from the state alone.
  private boolean isCanonical;

  PartWriter(ExecState state, ContextNumbers contexts) {
    this.state = state;
    this.pools = state.program.pools();
    this.stamped = pools.tracksWrites();
    this.contexts = contexts;
  }

  void use(ContextNumbers numbering, boolean canonical) {
    contexts = numbering;
    isCanonical = canonical;
    Arrays.fill(recent, null);
    Arrays.fill(recentStamps, null);
  }

  /// The contexts that a part had: what comes now may have come from them.
  void remember(Part part) {
    recent[next & 3] = contexts.at(part.written.contextNumber());
    recentStamps[next & 3] = contexts.at(part.written.stampsNumber());
    next++;
  }

  /// What is stored of the part that was encoded last.
  Part.Written written(Sum hash, int size) {
    int contextNumber = count > 0 ? numbers[0] - 1 : 0;
    int stampsNumber = stamped && count > 1 ? numbers[1] - 1 : 0;
    return new Part.Written(hash.high(), hash.low(), size, contextNumber, stampsNumber);
  }

  /// Frees the memory that only writing needs.
  void release() {
    body.release();
    hashed.release();
  }

  private void begin() {
    body.clear();
    count = 0;
    size = 0;
  }

  /// Roughly what the part needs in a base.
  int size() {
    return size + body.length() + count + 4;
  }

  /// Writes the part that was encoded last.
  void write(Encoder out) {
    out.natural(body.length());
    out.raw(body);
    out.natural(count);
    for (int i = 0; i < count; i++) {
      out.natural(numbers[i]);
    }
  }

  /// The hash of the part that was encoded last.
  Sum hash(Hashing hashing, int kind, long owner, long number) {
    hashed.clear();
    begin(hashed, kind, owner, number);
    hashed.raw(body);
    for (int i = 0; i < count; i++) {
      add(hashed, contexts, numbers[i]);
    }
    return hashing.part(hashed);
  }

  /// The hash of a part that was read.
  static Sum hash(Hashing hashing, ContextNumbers contexts, int kind, long owner, Read part) {
    Encoder all = new Encoder(32 + part.body().length + part.contexts().length * Sum.BYTES);
    begin(all, kind, owner, part.number());
    all.raw(part.body());
    for (int number : part.contexts()) {
      add(all, contexts, number);
    }
    return hashing.part(all);
  }

  /// What was read of a part.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Read(long number, byte[] body, int[] contexts) {}

  private static void begin(Encoder out, int kind, long owner, long number) {
    out.octet(kind);
    out.natural(owner);
    out.natural(number);
  }

  private static void add(Encoder out, ContextNumbers contexts, int number) {
    (number == 0 ? Sum.ZERO : contexts.sum(number - 1)).write(out);
    out.flag(number == 0);
  }

  /// What is stored with every revision.
  void head() {
    begin();
    body.octet(state.status.number());
    body.natural(state.steps);
    body.whole(state.clock);
    body.natural(state.lastId);
    body.natural(state.lastWait);
    optional(state.result, state.root.entry);
    body.flag(state.failure != null);
    if (state.failure != null) {
      failure(state.failure);
    }
  }

  void frame(Frame frame) {
    begin();
    int flags = frame.delivered ? StateWriter.DELIVERED : 0;
    flags |= frame.undoing != null ? StateWriter.UNDOING : 0;
    body.octet(frame.kind.number() | flags);
    Context around = Context.empty();
    Context stampsAround = Context.empty();
    if (frame.parent != null) {
      body.natural(frame.parent.id);
      body.natural(frame.spec);
      body.fixed(frame.lineage);
      body.natural(frame.node + 1L);
      around = frame.parent.entry;
      stampsAround = frame.parent.entryStamps;
    }
    context(frame.entry, around);
    stamps(frame.entryStamps, stampsAround);
    loops(frame.loops);
    if (frame.undoing != null) {
      undoing(frame, frame.undoing);
    }
    switch (frame.kind) {
      case REGION -> scope(frame, Objects.requireNonNull(frame.scope));
      case CALL -> {
        body.natural(frame.depth);
        body.natural(frame.returnAddress);
      }
      case BLOCK -> join(Objects.requireNonNull(frame.join));
      case SET -> set(Objects.requireNonNull(frame.set));
      case NET -> net(frame, Objects.requireNonNull(frame.net));
      case GROUP -> group(frame, Objects.requireNonNull(frame.group));
      case CASE, BRANCH, INSTANCE -> {}
    }
  }

  private void undoing(Frame frame, Undoing undoing) {
    Undoing.Ending ending = undoing.ending;
    body.natural(undoing.rest.size());
    body.octet(ending.kind().number());
    body.flag(ending.failure() != null);
    if (ending.failure() != null) {
      failure(ending.failure());
    }
    context(ending.context(), frame.entry);
    stamps(ending.stamps(), frame.entryStamps);
  }

  private void failure(Failure failure) {
    StateWriter.failure(failure, body);
    body.natural(failure.attached().size());
    for (Failure attached : failure.attached()) {
      StateWriter.failure(attached, body);
    }
  }

  private void scope(Frame frame, Frame.Scope scope) {
    body.natural(scope.held.size());
    scope.held.forEach(held -> context(held, frame.entry));
    time(scope.due);
    if (scope.due != Timers.NEVER) {
      body.natural(scope.dueOrder);
    }
  }

  /// Selected branches mostly are all of them, so runs of consecutive ones are written.
  private void join(JoinCounter join) {
    int[] selected = join.selected;
    body.natural(selected.length);
    int from = 0;
    while (from < selected.length) {
      int to = from + 1;
      while (to < selected.length && selected[to] == selected[to - 1] + 1) {
        to++;
      }
      body.natural(selected[from]);
      body.natural(to - from);
      from = to;
    }
    body.natural(join.dead);
    body.flag(join.fired);
    body.flag(join.aborted);
    body.flag(join.byValue);
  }

  private void set(InstanceSet set) {
    body.natural(set.made);
    body.natural(set.dead);
    body.flag(set.fired);
    body.flag(set.sealed);
    body.whole(set.need);
  }

  private void net(Frame frame, NetState net) {
    body.natural(net.ended);
    context(net.result, frame.entry);
    stamps(net.resultStamps, frame.entryStamps);
  }

  private void group(Frame frame, GroupState group) {
    body.flag(group.closed);
    body.natural(group.target == null ? 0 : group.target.id);
    for (Context piece : group.got) {
      optional(piece, frame.entry);
    }
    if (group.join < 0) {
      body.natural(group.made);
      body.flag(group.paused);
      body.natural(group.cost);
      optional(group.result, frame.entry);
    }
  }

  void token(Token token) {
    begin();
    body.natural(token.frame.id);
    body.natural(token.ip);
    Wait wait = token.wait;
    int flags = token.lineage != 0 ? StateWriter.LINEAGE : 0;
    if (wait != null) {
      flags |= wait.due != Timers.NEVER ? StateWriter.DUE : 0;
      flags |= wait.retrying ? StateWriter.RETRYING : 0;
      flags |= wait.holds ? StateWriter.HOLDS : 0;
      flags |= wait.computes ? StateWriter.COMPUTES : 0;
    }
    body.octet(token.state.number() | flags);
    context(token.context, token.frame.entry);
    stamps(token.stamps, token.frame.entryStamps);
    loops(token.loops);
    if ((flags & StateWriter.LINEAGE) != 0) {
      body.fixed(token.lineage);
    }
    body.natural(token.ordinal);
    body.natural(token.node + 1L);
    if (token.frame.kind == Frame.Kind.GROUP) {
      var process = Objects.requireNonNull(token.process);
      body.natural(process.number());
      body.natural(process.parent());
      body.text(process.from());
    }
    if (token.state == Token.State.QUEUED) {
      body.natural(token.arc);
      body.natural(token.queued);
    }
    if (wait != null) {
      body.natural(wait.number);
      if (wait.due != Timers.NEVER) {
        body.whole(wait.due);
      }
      boolean isEffect = token.state == Token.State.EFFECT;
      body.natural(isEffect ? wait.attempt : wait.timerAlternative + 1L);
      body.natural(isEffect ? wait.execution : 0);
    }
  }

  /// Writes an entry of a frame; false when there is no such entry.
  boolean entry(Frame frame, long key) {
    begin();
    long number = Entries.number(key);
    return switch (Entries.kind(key)) {
      case Entries.GOT -> got(frame, (int) number);
      case Entries.PLACE -> frame.places != null && token(frame.places, number, frame.entry);
      case Entries.UNDO -> {
        List<UndoEntry> log = frame.scope == null ? null : frame.scope.undoLog;
        yield log != null && undo(frame, log, (int) number, -1);
      }
      case Entries.REST -> {
        List<UndoEntry> rest = frame.undoing == null ? List.of() : frame.undoing.rest;
        yield undo(frame, rest, rest.size() - 1 - (int) number, 1);
      }
      case Entries.NODE -> node(frame, (int) number);
      default -> throw new Invariant.Broken("I20 a frame has no such entry; " + key);
    };
  }

  /// Writes an entry of the case; false when there is no such entry.
  boolean entry(long key) {
    begin();
    long number = Entries.number(key);
    return switch (Entries.kind(key)) {
      case Entries.PLACE -> state.places != null && token(state.places, number, Context.empty());
      case Entries.COUNT -> state.executions != null && state.executions.write(number, body);
      case Entries.CANCELLED -> {
        List<String> names = state.cancelledNames();
        body.natural(names.size());
        names.forEach(body::text);
        yield !names.isEmpty();
      }
      case Entries.LATE -> {
        boolean isThere = state.late != null && number < state.late.size();
        if (isThere) {
          StateWriter.failure(Objects.requireNonNull(state.late).get((int) number), body);
        }
        yield isThere;
      }
      default -> throw new Invariant.Broken("I20 a case has no such entry; " + key);
    };
  }

  private boolean got(Frame frame, int number) {
    if (frame.join != null) {
      Context got = frame.join.got[number];
      if (got == null) {
        return false;
      }
      context(got, frame.entry);
      if (stamped) {
        optional(frame.join.gotStamps[number], frame.entryStamps);
      }
      return true;
    }
    Context got = Objects.requireNonNull(frame.set).got.get(number);
    if (got != null) {
      context(got, frame.entry);
    }
    return got != null;
  }

  private boolean token(PlaceState[] places, long entry, Context hint) {
    PlaceState place = places[(int) (entry >>> 32)];
    Context payload = place.at(entry & 0xFFFF_FFFFL);
    if (payload != null) {
      context(payload, hint);
    }
    return payload != null;
  }

  /// Writes a token on a place.
  void placed(Context payload, Context hint) {
    begin();
    context(payload, hint);
  }

  private boolean undo(Frame frame, List<UndoEntry> entries, int index, int before) {
    if (index < 0 || index >= entries.size()) {
      return false;
    }
    UndoEntry entry = entries.get(index);
    int other = index + before;
    Context hint =
        other >= 0 && other < entries.size() ? entries.get(other).context() : frame.entry;
    body.natural(entry.order());
    body.natural(entry.address());
    context(entry.context(), hint);
    stamps(entry.stamps(), frame.entryStamps);
    body.fixed(entry.lineage());
    body.natural(entry.task());
    body.text(entry.label());
    return true;
  }

  private boolean node(Frame frame, int node) {
    NetState.Arcs arcs = frame.net == null ? null : frame.net.joins[node];
    if (arcs == null) {
      return false;
    }
    boolean isFresh = !arcs.fired && arcs.arrivals == 0 && arcs.firings == 0;
    if (isFresh && arcs.seenCount() == 0) {
      return false;
    }
    body.flag(arcs.fired);
    body.natural(arcs.firings);
    body.natural(arcs.arrivals);
    for (int arc = 0; arc < arcs.seen.length; arc++) {
      optional(arcs.seen[arc], frame.entry);
      optional(arcs.seenStamps[arc], frame.entryStamps);
    }
    return true;
  }

  private void context(Context context, Context hint) {
    add(context, hint, recent);
  }

  private void add(Context context, Context hint, @Nullable Context[] hints) {
    int weight = context == hint ? 0 : context.weight() - hint.weight();
    size += Math.max(0, weight);
    add(
        1
            + (isCanonical
                ? contexts.number(context, hint)
                : contexts.number(context, hints[0], hints[1], hints[2], hints[3], hint)));
  }

  private void optional(@Nullable Context context, Context hint) {
    if (context == null) {
      add(0);
    } else {
      context(context, hint);
    }
  }

  private void add(int number) {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count);
    }
    numbers[count++] = number;
  }

  private void stamps(Context stamps, Context hint) {
    if (stamped) {
      add(stamps, hint, recentStamps);
    }
  }

  private void time(long due) {
    body.flag(due != Timers.NEVER);
    if (due != Timers.NEVER) {
      body.whole(due);
    }
  }

  private void loops(long @Nullable [] loops) {
    if (pools.loopSlots() == 0) {
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
