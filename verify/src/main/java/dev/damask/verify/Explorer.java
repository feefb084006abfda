package dev.damask.verify;

import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TokenView;
import dev.damask.exec.Status;
import dev.damask.exec.TraceEvent;
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

/// Visits everything a program can do, breadth first, by driving the real machine.
///
/// A state is the canonical form of the machine's state, plus what the outside and the assertions
/// must remember. Where a token is ready, its steps are the moves; where none is, the outside
/// moves. Moves of the outside that nobody may rely on, failures, do not count as ways to an end.
final class Explorer {
  private static final int DEADLOCKS_MAX = 64;
  private static final int ADVERSE = 1 << 31;
  private static final int ADDED_UNIT = 1 << 24;
  private static final int MONITOR_MASK = ADDED_UNIT - 1;

  private final Walker walker;
  private final Options options;
  private final Monitor monitor;
  private final Ample ample;
  private final boolean reduced;
  private final boolean failuresMatter;

  /// Forks that are written down have as many tokens as they have branches; more than those and the
  /// bound together is too much.
  private final long tokensMax;

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

  /// Addresses of tasks that were seen to start.
  final BitSet executed = new BitSet();

  /// States in which the case stands still, the nearest first; a few are enough.
  final List<Integer> deadlocks = new ArrayList<>();

  /// The first state of a kind, by number; -1 when there is none.
  int completed = -1;

  int lost = -1;
  int ended = -1;
  int overfull = -1;
  final Map<Integer, Integer> violated = new TreeMap<>();
  String stopped = "";

  /// Whether it stopped because there are more states than allowed.
  boolean isCut;

  Explorer(Walker walker, Options options, boolean reduced, Meter meter) {
    this.walker = walker;
    this.options = options;
    this.reduced = reduced;
    this.meter = meter;
    this.monitor = new Monitor(options.assertions());
    this.ample = new Ample(walker.program, options);
    this.tokensMax = options.tokensMax() + branches(walker.program);
    this.failuresMatter = options.failures() && canHandle(walker.program);
    this.externals =
        Arrays.stream(walker.program.pools().places())
            .filter(slot -> slot.definition() < 0 && slot.place().external())
            .map(slot -> slot.place().name())
            .toList();
    if (options.signals() == Options.Signals.ONCE && externals.size() > Long.SIZE) {
      stopped = "a search can count the signals of at most " + Long.SIZE + " places";
    }
  }

  private static long branches(Program program) {
    return Arrays.stream(program.pools().forks())
        .filter(fork -> fork.policy() != null)
        .mapToLong(fork -> fork.targets().length)
        .sum();
  }

  /// Without handlers and undo terms a failure ends the case at once, which is an end like others.
  private static boolean canHandle(Program program) {
    return Arrays.stream(program.pools().regions())
        .anyMatch(region -> region.handler() >= 0 || region.undo());
  }

  int states() {
    return table.size();
  }

  /// About what the search keeps: its tables, one move a state, and the states still to visit.
  private long bytes() {
    return table.bytes() + 80L * table.size() + 4L * targets.length + frontierBytes;
  }

  int edges() {
    return edgeCount;
  }

  /// Visits all states, or stops and says why.
  void run() {
    ExecState start = walker.start();
    add(Exploration.canonical(start), 0, 0, -1, new Move.Reduce(0, List.of()), Status.RUNNING);
    int current = 0;
    while (!frontier.isEmpty() && stopped.isEmpty()) {
      offsets = room(offsets, current + 1);
      offsets[current] = edgeCount;
      byte[] bytes = frontier.remove();
      frontierBytes -= bytes.length;
      expand(current, bytes);
      current++;
    }
    offsets = room(offsets, current + 1);
    offsets[current] = edgeCount;
  }

  private void expand(int current, byte[] bytes) {
    ExecState state = walker.decode(bytes);
    if (state.isDone()) {
      return;
    }
    List<TokenView> ready = walker.ready(state);
    if (ready.isEmpty()) {
      outside(current, bytes, state);
      return;
    }
    if (reduced) {
      TokenView alone = ample.find(state, ready);
      ready = alone == null ? ready : List.of(alone);
    }
    for (TokenView token : ready) {
      if (!stopped.isEmpty()) {
        return;
      }
      walker.oracle().restart(List.of());
      do {
        ExecState next = walker.decode(bytes);
        walker.take(next, new Move.Reduce(token.id(), List.of()));
        Move move = new Move.Reduce(token.id(), walker.oracle().answers());
        arrive(current, next, move, signalled[current], extras[current]);
      } while (walker.oracle().next() && stopped.isEmpty());
    }
  }

  private void outside(int current, byte[] bytes, ExecState state) {
    boolean moved = false;
    for (Move move : walker.inputs(state, options, failuresMatter)) {
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
        if (extra / ADDED_UNIT >= options.addedMax()) {
          continue;
        }
        extra += ADDED_UNIT;
      }
      moved |= !(move instanceof Move.Fail) && !(move instanceof Move.Add);
      walker.oracle().restart(List.of());
      do {
        ExecState next = walker.decode(bytes);
        walker.take(next, move);
        arrive(current, next, move, mask, extra);
      } while (walker.oracle().next() && stopped.isEmpty());
    }
    if (!moved) {
      deadlock(current);
    }
  }

  /// Notes where a move has led.
  private void arrive(int from, ExecState next, Move move, long mask, int extra) {
    int bits = extra & MONITOR_MASK;
    int bad = -1;
    for (TraceEvent event : walker.events()) {
      note(event);
      bad = bad < 0 ? monitor.violated(bits, event) : bad;
      bits = monitor.after(bits, event);
    }
    bad = bad < 0 ? monitor.violatedBy(next) : bad;
    Status status = next.status();
    byte[] bytes = Exploration.canonical(next);
    int target = add(bytes, mask, (extra & ~MONITOR_MASK) | bits, from, move, status);
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
      stopped = "its tokens grow beyond the bound of " + options.tokensMax();
    }
    // A state may have thousands of moves, so moves are counted and not states.
    if ((edgeCount & 127) == 0 && !meter.goesOn(table.size(), bytes())) {
      stopped = meter.stopped(table.size());
    }
    if (table.size() >= options.statesMax()) {
      isCut = true;
      stopped = "the bound of " + options.statesMax() + " states was reached";
    }
  }

  /// An assertion is violated by a move, which may lead to a state that was known before.
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
    statuses[index] = (byte) status.ordinal();
    mark(index, status);
    return index;
  }

  private void mark(int index, Status status) {
    switch (status) {
      case DEADLOCKED -> deadlock(index);
      case COMPLETED -> completed = completed < 0 ? index : completed;
      case CANCELLED -> lost = lost < 0 ? index : lost;
      case FAILED, RUNNING, WAITING -> {}
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

  boolean isEnded(int state) {
    return Status.values()[statuses[state]].isEnded();
  }

  /// Whether the assertion of an index waits for its second task in a state.
  boolean isPending(int state, int assertion) {
    return (extras[state] >> assertion & 1) != 0;
  }

  /// The states from which some state of a set can be reached without relying on failures.
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

  /// The moves that lead from the start to a state.
  List<Move> path(int state) {
    List<Move> path = new ArrayList<>();
    for (int at = state; parents[at] >= 0; at = parents[at]) {
      path.add(moves.get(at));
    }
    return path.reversed();
  }
}
