package dev.damask.verify;

import dev.damask.event.Status;
import dev.damask.event.TraceEvent;
import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TokenView;
import dev.damask.program.Program;
import dev.damask.verify.Counterexample.Move;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Searches all states of a program breadth first with the real machine.
///
/// A state is the canonical form of the machine's state, plus the data that external events and
/// assertions require. If tokens are ready, their steps are the moves; otherwise external events
/// are. Failures are external events that a case cannot rely on, so they do not count as ways to an
/// end.
final class Explorer {
  private static final int DEADLOCKS_MAX = 64;
  private static final int ADVERSE = 1 << 31;
  private static final int ADDED_SHIFT = 24;
  private static final int ADDED_UNIT = 1 << ADDED_SHIFT;
  private static final int ADDED_MASK = 127;
  private static final int MONITOR_MASK = ADDED_UNIT - 1;

  /// The bit of a state that is set after a move that only data can cause.
  private static final int BY_DATA = 1 << 31;

  private final Moves search;
  private final Options options;
  private final Monitor monitor;
  private final Ample ample;
  private final boolean reduced;
  private final boolean failuresMatter;

  /// The limit of tokens: a state may have the tokens of all forks in the program and the
  /// configured number in addition.
  private final long tokensMax;

  /// Whether the structure of the program bounds its tokens.
  final boolean isBounded;

  private final Meter meter;
  private final StateTable table = new StateTable();
  private final Deque<byte[]> frontier = new ArrayDeque<>();
  private final List<Move> moves = new ArrayList<>();
  private final List<String> externals;
  private int[] parents = new int[256];
  private int[] extras = new int[256];
  private long[] signalled = new long[256];
  private int[] offsets = new int[256];
  private int[] targets = new int[1024];
  private int edgeCount;
  private byte[] statuses = new byte[256];
  private long frontierBytes;

  /// Whether a token may go first only if that leads to an unvisited state.
  private final boolean careful;

  /// The addresses of tasks that were started.
  final BitSet executed = new BitSet();

  /// The first few deadlocked states, nearest first.
  final List<Integer> deadlocks = new ArrayList<>();

  /// The first state of a kind by number; -1 if there is none.
  int completed = -1;

  int ended = -1;
  int overfull = -1;
  final Map<Integer, Integer> violated = new TreeMap<>();
  String stopped = "";

  /// Whether the search stopped at the limit of states.
  boolean isCut;

  /// The ends of cases with a status other than completed.
  final EndCollector ends;

  /// The required data of the first move that only data can cause, by the state it leads to.
  private final Map<Integer, String> remarks = new TreeMap<>();

  /// The degree of partial-order reduction.
  enum Orders {
    ALL,
    /// One independent token goes first. A token in an infinite loop can thus delay another that
    /// would end the enclosing scope forever, so an end may wrongly appear unreachable.
    FEWER,
    /// Like [#FEWER], but a token goes first only if it reaches an unvisited state, so no way to an
    /// end is delayed forever.
    FAIR
  }

  Explorer(Moves search, EndCollector ends, Options options, Orders orders, Meter meter) {
    this.ends = ends;
    this.search = search;
    this.options = options;
    this.reduced = orders != Orders.ALL;
    this.careful = orders == Orders.FAIR;
    this.meter = meter;
    this.monitor = new Monitor(options.assertions());
    this.ample = new Ample(search.program, options);
    // States with many tokens have many moves each, so there is a limit even if the growth is
    // bounded.
    this.isBounded = TokenBounds.areTokensBounded(search.program);
    this.tokensMax = (isBounded ? 2L : 1L) * options.tokensMax() + branches(search.program);
    this.failuresMatter = options.failures() && canHandle(search.program);
    this.externals =
        Arrays.stream(search.program.pools().places())
            .filter(slot -> slot.definition() < 0 && slot.place().external())
            .map(slot -> slot.place().name())
            .toList();
    if (options.signals() == Options.Signals.ONCE && externals.size() > Long.SIZE) {
      stopped = "the search supports signals to at most " + Long.SIZE + " places";
    }
  }

  private static long branches(Program program) {
    return Arrays.stream(program.pools().forks())
        .filter(fork -> fork.policy() != null)
        .mapToLong(fork -> fork.targets().length)
        .sum();
  }

  /// Returns whether failures can be handled. Without handlers and undo terms a failure ends the
  /// case immediately, which is an end like others.
  static boolean canHandle(Program program) {
    return Arrays.stream(program.pools().regions())
        .anyMatch(region -> region.handler() >= 0 || region.undo());
  }

  int states() {
    return table.size();
  }

  /// Returns the approximate memory of the search: its tables, one move per state, and the
  /// unvisited states.
  private long bytes() {
    return table.bytes() + 80L * table.size() + 4L * targets.length + frontierBytes;
  }

  int edges() {
    return edgeCount;
  }

  /// Visits all states, or stops and records the reason.
  void run() {
    ExecState start = search.start();
    add(Exploration.canonical(start), 0, 0, -1, new Move.Reduce(0, List.of()), Status.RUNNING);
    int current = 0;
    int depth = -1;
    int level = 0;
    boolean isDeep = false;
    while (!frontier.isEmpty() && stopped.isEmpty()) {
      if (current == level) {
        depth++;
        level = table.size();
      }
      offsets = room(offsets, current + 1);
      offsets[current] = edgeCount;
      byte[] bytes = frontier.remove();
      frontierBytes -= bytes.length;
      if (depth < options.depthMax()) {
        expand(current, bytes);
      } else {
        isDeep |= !search.load(bytes).isDone();
      }
      current++;
    }
    if (isDeep && stopped.isEmpty()) {
      meter.tooDeep();
      stopped = meter.stopped(table.size());
    }
    offsets = room(offsets, current + 1);
    offsets[current] = edgeCount;
  }

  private void expand(int current, byte[] bytes) {
    ExecState state = search.load(bytes);
    if (state.isDone()) {
      return;
    }
    ends.expand(state);
    List<TokenView> ready = search.ready();
    if (ready.isEmpty()) {
      outside(current, bytes);
      return;
    }
    TokenView alone = reduced ? ample.find(state, ready) : null;
    if (alone != null) {
      int first = edgeCount;
      reduce(current, bytes, alone);
      if (!careful || leadsOn(current, first)) {
        return;
      }
    }
    for (TokenView token : ready) {
      if (!token.equals(alone) && stopped.isEmpty()) {
        reduce(current, bytes, token);
      }
    }
  }

  /// Executes the step of one token with all its outcomes.
  private void reduce(int current, byte[] bytes, TokenView token) {
    search.oracle().restart(List.of());
    do {
      ExecState next = search.load(bytes);
      search.take(new Move.Reduce(token.id(), List.of()));
      Move move = new Move.Reduce(token.id(), search.oracle().answers());
      arrive(current, next, move, signalled[current], extras[current]);
    } while (search.oracle().next() && stopped.isEmpty());
  }

  /// Returns whether one of the last edges leads to an unvisited state.
  private boolean leadsOn(int current, int firstEdge) {
    for (int edge = firstEdge; edge < edgeCount; edge++) {
      if ((targets[edge] & ~ADVERSE) > current) {
        return true;
      }
    }
    return false;
  }

  private void outside(int current, byte[] bytes) {
    boolean moved = false;
    for (Move move : search.inputs(options, failuresMatter)) {
      if (!stopped.isEmpty()) {
        return;
      }
      long mask = signalled[current];
      int extra = extras[current];
      if (move instanceof Move.Signal(var place) && options.signals() == Options.Signals.ONCE) {
        long bit = 1L << externals.indexOf(place);
        if ((mask & bit) != 0) {
          continue;
        }
        mask |= bit;
      }
      if (move instanceof Move.Add) {
        if ((extra >>> ADDED_SHIFT & ADDED_MASK) >= options.addedMax()) {
          continue;
        }
        extra += ADDED_UNIT;
      }
      moved |= !(move instanceof Move.Fail) && !(move instanceof Move.Add);
      search.oracle().restart(List.of());
      do {
        ExecState next = search.load(bytes);
        search.take(move);
        arrive(current, next, move, mask, extra);
      } while (search.oracle().next() && stopped.isEmpty());
    }
    if (!moved) {
      deadlock(current);
    }
  }

  /// Records the target of a move.
  private void arrive(int from, ExecState next, Move move, long mask, int extra) {
    int bits = extra & MONITOR_MASK;
    int bad = -1;
    for (TraceEvent event : search.events()) {
      note(event);
      bad = bad < 0 ? monitor.violated(bits, event) : bad;
      bits = monitor.after(bits, event);
    }
    bad = bad < 0 ? monitor.violatedBy(next) : bad;
    Status status = next.status();
    byte[] bytes = Exploration.canonical(next);
    String remark = search.oracle().remark();
    int data = remark.isEmpty() ? extra & BY_DATA : BY_DATA;
    int before = table.size();
    int target = add(bytes, mask, (extra & ~MONITOR_MASK) | bits | data, from, move, status);
    if (data != 0 && target == before) {
      remarks.put(target, (extra & BY_DATA) == 0 ? remark : remarks.getOrDefault(from, remark));
    }
    String known = (extra & BY_DATA) == 0 ? remark : remarks.getOrDefault(from, remark);
    ends.arrive(from, move, next, search.events(), known);
    boolean adverse = move instanceof Move.Fail;
    targets = room(targets, edgeCount + 1);
    targets[edgeCount++] = adverse ? target | ADVERSE : target;
    if (bad >= 0) {
      violated.putIfAbsent(bad, target);
      badMoves.putIfAbsent(bad, new Bad(from, move));
    }
    if (overfull < 0
        && (next.tokens() > tokensMax || Exploration.fullestPlace(next) > options.tokensMax())) {
      overfull = target;
      stopped =
          isBounded && next.tokens() > tokensMax
              ? "states of more than " + tokensMax + " tokens are not searched"
              : "its tokens exceed the limit of "
                  + options.tokensMax()
                  + "; it may be able to grow without bound";
    }
    // A state may have thousands of moves, so the limit is checked by moves, not states.
    if ((edgeCount & 127) == 0 && !meter.goesOn(table.size(), bytes())) {
      stopped = meter.stopped(table.size());
    }
    if (table.size() >= options.statesMax()) {
      isCut = true;
      stopped = "the limit of " + options.statesMax() + " states was reached";
    }
  }

  /// A move that violates an assertion. It may lead to a known state.
  record Bad(int from, Move move) {}

  final Map<Integer, Bad> badMoves = new TreeMap<>();

  private void note(TraceEvent event) {
    if (event.kind() == TraceEvent.Kind.STARTED || event.kind() == TraceEvent.Kind.RAN) {
      executed.set(event.before());
    }
  }

  private int add(byte[] bytes, long mask, int extra, int from, Move move, Status status) {
    int number = table.put(bytes, mask, extra);
    if (number >= 0) {
      return number;
    }
    int index = -number - 1;
    frontier.add(bytes);
    frontierBytes += bytes.length;
    moves.add(move);
    parents = room(parents, index + 1);
    extras = room(extras, index + 1);
    if (index >= signalled.length) {
      signalled = Arrays.copyOf(signalled, signalled.length * 2);
    }
    if (index >= statuses.length) {
      statuses = Arrays.copyOf(statuses, statuses.length * 2);
    }
    parents[index] = from;
    extras[index] = extra;
    signalled[index] = mask;
    statuses[index] = (byte) status.number();
    mark(index, status);
    return index;
  }

  private void mark(int index, Status status) {
    switch (status) {
      case DEADLOCKED -> deadlock(index);
      case COMPLETED -> completed = completed < 0 ? index : completed;
      case CANCELLED, FAILED, RUNNING, WAITING -> {}
    }
    if (status.isEnded() && ended < 0) {
      ended = index;
    }
  }

  private void deadlock(int index) {
    if (deadlocks.size() < DEADLOCKS_MAX) {
      deadlocks.add(index);
    }
  }

  private static int[] room(int[] array, int length) {
    return length <= array.length ? array : Arrays.copyOf(array, array.length * 2);
  }

  /// Returns the first state from which no end is reachable although the case can move; -1 if there
  /// is none or if the case can also deadlock.
  int trap() {
    if (!deadlocks.isEmpty()) {
      return -1;
    }
    BitSet goals = new BitSet();
    for (int state = 0; state < states(); state++) {
      if (isEnded(state)) {
        goals.set(state);
      }
    }
    int first = reaching(goals).nextClearBit(0);
    return first < states() ? first : -1;
  }

  private boolean isEnded(int state) {
    return Status.byNumber().get(statuses[state]).isEnded();
  }

  /// Returns whether an assertion waits for its second task in a state.
  boolean isPending(int state, int assertion) {
    return (extras[state] >> assertion & 1) != 0;
  }

  /// Returns the states from which a state of a set is reachable without failures.
  BitSet reaching(BitSet goals) {
    int count = table.size();
    int[] heads = new int[count + 1];
    for (int edge = 0; edge < edgeCount; edge++) {
      if ((targets[edge] & ADVERSE) == 0) {
        heads[targets[edge] + 1]++;
      }
    }
    for (int i = 0; i < count; i++) {
      heads[i + 1] += heads[i];
    }
    int[] sources = new int[heads[count]];
    int[] fill = Arrays.copyOf(heads, count);
    for (int from = 0; from < count; from++) {
      for (int edge = offsets[from]; edge < offsets[from + 1]; edge++) {
        if ((targets[edge] & ADVERSE) == 0) {
          sources[fill[targets[edge]]++] = from;
        }
      }
    }
    BitSet good = (BitSet) goals.clone();
    Deque<Integer> open = new ArrayDeque<>();
    goals.stream().forEach(open::add);
    while (!open.isEmpty()) {
      int state = open.poll();
      for (int i = heads[state]; i < heads[state + 1]; i++) {
        if (!good.get(sources[i])) {
          good.set(sources[i]);
          open.add(sources[i]);
        }
      }
    }
    return good;
  }

  /// Returns the moves from the start to a state.
  List<Move> path(int state) {
    List<Move> path = new ArrayList<>();
    for (int at = state; parents[at] >= 0; at = parents[at]) {
      path.add(moves.get(at));
    }
    return path.reversed();
  }
}
