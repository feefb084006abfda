package dev.damask.verify;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/// Visits the markings of a packed net breadth first and records the path to each.
///
/// Markings are stored in one array in the order they were found, with a hash table of indexes. So
/// an index identifies a marking, and a smaller index is never further from the start.
final class NetSearch {
  private static final int NONE = -1;

  /// The maximum length of an array.
  private static final int LENGTH_MAX = Integer.MAX_VALUE - 8;

  private final PackedNet net;
  private final boolean reduced;
  private final int statesMax;
  private final long workMax;
  private final int depthMax;
  private final Meter meter;
  private final int words;
  private final Stubborn stubborn;
  private final int[] enabled;
  private final int[] chosen;
  private final long[] scratch;

  private long[] markings;
  private int[] parents;
  private int[] table;
  private int count;
  private long edges;
  private int chosenCount;

  /// The indexes of the markings found; -1 if there is none.
  int deadlock = NONE;

  int overflowState = NONE;
  int overflowTransition = NONE;
  int overflowPlace = NONE;
  int trap = NONE;
  final BitSet fired = new BitSet();
  boolean complete;

  /// The maximum cost of a first search, in written words of markings.
  static final long FIRST_LOOK = 1L << 26;

  NetSearch(PackedNet net, boolean reduced, int statesMax, Meter meter) {
    this(net, reduced, statesMax, Long.MAX_VALUE, meter);
  }

  NetSearch(PackedNet net, boolean reduced, int statesMax, long workMax, Meter meter) {
    this.net = net;
    this.workMax = workMax;
    this.depthMax = meter.depthMax();
    this.reduced = reduced;
    this.statesMax = statesMax;
    this.meter = meter;
    this.words = net.words;
    this.stubborn = new Stubborn(net);
    this.enabled = new int[net.transitions];
    this.chosen = new int[net.transitions];
    this.scratch = new long[words];
    this.markings = new long[64 * words];
    this.parents = new int[64];
    this.table = new int[128];
    Arrays.fill(table, NONE);
  }

  int states() {
    return count;
  }

  private long bytes() {
    return 8L * markings.length + 4L * parents.length + 4L * table.length;
  }

  long edges() {
    return edges;
  }

  /// Visits all markings, or stops at the first marking in which a place exceeds its capacity.
  void run() {
    System.arraycopy(net.initial, 0, scratch, 0, words);
    add(NONE);
    int depth = -1;
    int level = 0;
    for (int index = 0; index < count; index++) {
      if (index == level) {
        depth++;
        level = count;
      }
      if (depth == depthMax && net.enabled(markings, index * words, enabled) > 0) {
        meter.tooDeep();
        continue;
      }
      if ((index & Meter.INTERVAL - 1) == Meter.INTERVAL - 1 && !meter.goesOn(count, bytes())) {
        return;
      }
      if (!expand(index) || edges * words > workMax) {
        return;
      }
    }
    complete = !meter.hasStopped();
  }

  /// Finds the first marking from which no final one is reachable.
  void findTrap() {
    int[] targets = new int[Math.toIntExact(edges)];
    int[] heads = new int[count + 1];
    int[] offsets = new int[count + 1];
    int edge = 0;
    for (int index = 0; index < count; index++) {
      offsets[index] = edge;
      select(index);
      for (int i = 0; i < chosenCount; i++) {
        net.fire(markings, index * words, chosen[i], scratch, 0);
        targets[edge] = find();
        heads[targets[edge++] + 1]++;
      }
    }
    offsets[count] = edge;
    int first = backwards(targets, offsets, heads).nextClearBit(0);
    trap = first < count ? first : NONE;
  }

  /// Returns the markings from which a final one is reachable, searching backwards from the final
  /// ones.
  ///
  /// @param heads the number of edges to each marking, shifted by one
  private BitSet backwards(int[] targets, int[] offsets, int[] heads) {
    for (int i = 0; i < count; i++) {
      heads[i + 1] += heads[i];
    }
    int[] sources = new int[targets.length];
    int[] fill = Arrays.copyOf(heads, count);
    for (int from = 0; from < count; from++) {
      for (int edge = offsets[from]; edge < offsets[from + 1]; edge++) {
        sources[fill[targets[edge]]++] = from;
      }
    }
    BitSet good = new BitSet(count);
    int[] open = new int[count];
    int top = 0;
    for (int index = 0; index < count; index++) {
      if (net.isFinal(markings, index * words)) {
        good.set(index);
        open[top++] = index;
      }
    }
    while (top > 0) {
      int index = open[--top];
      for (int i = heads[index]; i < heads[index + 1]; i++) {
        if (!good.get(sources[i])) {
          good.set(sources[i]);
          open[top++] = sources[i];
        }
      }
    }
    return good;
  }

  private boolean expand(int index) {
    int at = index * words;
    int found = select(index);
    if (found == 0 && !net.isFinal(markings, at) && deadlock < 0) {
      deadlock = index;
    }
    for (int i = 0; i < found; i++) {
      int place = net.overflow(markings, at, enabled[i]);
      if (place >= 0) {
        overflowState = index;
        overflowTransition = enabled[i];
        overflowPlace = place;
        return false;
      }
    }
    for (int i = 0; i < chosenCount; i++) {
      net.fire(markings, index * words, chosen[i], scratch, 0);
      fired.set(chosen[i]);
      edges++;
      if (find() < 0) {
        if (count >= statesMax || (count + 1L) * words > LENGTH_MAX) {
          return false;
        }
        add(index);
      }
    }
    return true;
  }

  /// Selects the transitions to fire. Returns the number of enabled ones.
  private int select(int index) {
    int at = index * words;
    int found = net.enabled(markings, at, enabled);
    if (reduced) {
      chosenCount = stubborn.select(markings, at, enabled, found, chosen);
    } else {
      // External events occur only when the machine is idle.
      while (found > 0 && enabled[0] < net.internals && enabled[found - 1] >= net.internals) {
        found--;
      }
      System.arraycopy(enabled, 0, chosen, 0, found);
      chosenCount = found;
    }
    return found;
  }

  private int slot() {
    long hash = 0;
    for (int w = 0; w < words; w++) {
      hash = (hash ^ scratch[w]) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return (int) hash & table.length - 1;
  }

  /// Returns the index of the marking in the scratch words, or -1.
  private int find() {
    int slot = slot();
    while (table[slot] >= 0) {
      int at = table[slot] * words;
      boolean same = true;
      for (int w = 0; w < words && same; w++) {
        same = markings[at + w] == scratch[w];
      }
      if (same) {
        return table[slot];
      }
      slot = slot + 1 & table.length - 1;
    }
    return NONE;
  }

  private void add(int parent) {
    if ((count + 1) * words > markings.length) {
      markings = Arrays.copyOf(markings, (int) Math.min(LENGTH_MAX, markings.length * 2L));
    }
    if (count + 1 > parents.length) {
      parents = Arrays.copyOf(parents, parents.length * 2);
    }
    System.arraycopy(scratch, 0, markings, count * words, words);
    parents[count] = parent;
    count++;
    if (count * 2 > table.length) {
      grow();
    } else {
      insert(count - 1);
    }
  }

  private void insert(int index) {
    System.arraycopy(markings, index * words, scratch, 0, words);
    int slot = slot();
    while (table[slot] >= 0) {
      slot = slot + 1 & table.length - 1;
    }
    table[slot] = index;
  }

  private void grow() {
    table = new int[table.length * 2];
    Arrays.fill(table, NONE);
    for (int index = 0; index < count; index++) {
      insert(index);
    }
  }

  int tokens(int index, int place) {
    return net.tokens(markings, index * words, place);
  }

  boolean isFinal(int index) {
    return net.isFinal(markings, index * words);
  }

  /// Returns the transitions from the start to a marking.
  int[] trace(int index) {
    List<Integer> steps = new ArrayList<>();
    for (int at = index; parents[at] >= 0; at = parents[at]) {
      steps.add(between(parents[at], at));
    }
    int[] trace = new int[steps.size()];
    Arrays.setAll(trace, i -> steps.get(steps.size() - 1 - i));
    return trace;
  }

  private int between(int from, int to) {
    for (int t = 0; t < net.transitions; t++) {
      if (net.isEnabled(markings, from * words, t)) {
        net.fire(markings, from * words, t, scratch, 0);
        if (find() == to) {
          return t;
        }
      }
    }
    throw new IllegalStateException("no transition connects two adjacent markings of a path");
  }

  /// The part of the path to a pumped marking that can be repeated.
  ///
  /// @param from the number of steps before it
  /// @param to the number of steps including it
  record Round(int from, int to) {}

  /// Returns the first round on the path to a pumped marking.
  Round firstRound(int index) {
    List<Integer> way = new ArrayList<>();
    for (int at = index; at >= 0; at = parents[at]) {
      way.add(at);
    }
    List<Integer> forward = way.reversed();
    for (int to = 1; to < forward.size(); to++) {
      for (int from = to - 1; from >= 0; from--) {
        int first = forward.get(from);
        if (net.forbids[between(first, forward.get(from + 1))].length > 0) {
          break;
        }
        if (covers(forward.get(to), first)) {
          return new Round(from, to);
        }
      }
    }
    return new Round(0, forward.size() - 1);
  }

  private boolean covers(int index, int earlier) {
    for (int place = 0; place < net.places; place++) {
      if (tokens(index, place) < tokens(earlier, place)) {
        return false;
      }
    }
    return true;
  }

  /// Returns whether a marking has at least the tokens of an earlier one on its path, and more.
  /// Then the path between them can be repeated, unless one of its steps requires empty places.
  boolean isPumped(int index) {
    int below = index;
    for (int at = parents[index]; at >= 0; at = parents[at]) {
      if (net.forbids[between(at, below)].length > 0) {
        return false;
      }
      below = at;
      if (covers(index, at)) {
        return true;
      }
    }
    return false;
  }
}
