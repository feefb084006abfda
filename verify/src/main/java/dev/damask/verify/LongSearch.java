package dev.damask.verify;

/// Visits the markings of a net that fits into one word, optimised for speed.
///
/// The table of visited markings contains the markings themselves, eight bytes each, and its load
/// is between a half and four fifths. Because no paths are kept, it only determines whether there
/// is a violation; [NetSearch] then finds the trace.
final class LongSearch {
  private static final double FULL = 0.8;

  private final PackedNet net;
  private final long statesMax;
  private final Meter meter;
  private final long[] code;
  private final boolean[] fired;
  private final boolean counts;

  /// The start of the external events in the code.
  private final int inputs;

  private long[] table = new long[1 << 10];
  private long limit = (long) (table.length * FULL);
  private long count;
  private long edges;
  private long[] level = new long[1 << 8];
  private long[] next = new long[1 << 8];
  private int nextCount;

  boolean deadlocks;
  boolean overflows;
  boolean complete;

  LongSearch(PackedNet net, long statesMax, Meter meter) {
    if (net.words != 1) {
      throw new IllegalArgumentException("expected markings of 1 word, got " + net.words);
    }
    this.net = net;
    this.statesMax = statesMax;
    this.meter = meter;
    this.fired = new boolean[net.transitions];
    this.code = new long[3 * net.transitions];
    boolean wide = false;
    for (int t = 0; t < net.transitions; t++) {
      code[3 * t] = net.need(t);
      code[3 * t + 1] = net.gain(t);
      code[3 * t + 2] = net.delta(t);
      wide |= net.countedInputs[t].length + net.countedGains[t].length + net.forbids[t].length > 0;
    }
    this.counts = wide;
    this.inputs = 3 * net.internals;
  }

  long states() {
    return count;
  }

  long edges() {
    return edges;
  }

  boolean hasFired(int transition) {
    return fired[transition];
  }

  /// Returns the size of the table of visited markings.
  long tableBytes() {
    return 8L * table.length;
  }

  private long bytes() {
    return tableBytes() + 8L * level.length + 8L * next.length;
  }

  void run() {
    visit(net.initial[0]);
    int size = nextCount;
    while (size > 0) {
      long[] swap = level;
      level = next;
      next = swap;
      nextCount = 0;
      if (!expandLevel(size)) {
        return;
      }
      size = nextCount;
    }
    complete = true;
  }

  private boolean expandLevel(int size) {
    for (int i = 0; i < size; i++) {
      if ((i & Meter.INTERVAL - 1) == Meter.INTERVAL - 1
          && (count > statesMax || !meter.goesOn(count, bytes()))) {
        return false;
      }
      boolean alive = counts ? expandCounted(level[i]) : expand(level[i]);
      if (overflows) {
        return false;
      }
      if ((!alive && (level[i] & net.unfinished[0]) != 0) || level[i] == PackedNet.ALWAYS) {
        deadlocks = true;
      }
    }
    return count <= statesMax;
  }

  /// Fires all enabled transitions. Returns whether there was one.
  private boolean expand(long marking) {
    long[] instructions = code;
    boolean alive = false;
    for (int i = 0; i < instructions.length; i += 3) {
      if (i == inputs && alive) {
        return true;
      }
      long need = instructions[i];
      if ((marking & need) == need) {
        if ((marking & instructions[i + 1]) != 0) {
          overflows = true;
          return true;
        }
        alive = true;
        fired[i / 3] = true;
        edges++;
        visit(marking + instructions[i + 2]);
      }
    }
    return alive;
  }

  private boolean expandCounted(long marking) {
    long[] one = {marking};
    boolean alive = false;
    for (int t = 0; t < net.transitions; t++) {
      if (t == net.internals && alive) {
        return true;
      }
      if (net.isEnabled(one, 0, t)) {
        if (net.overflow(one, 0, t) >= 0) {
          overflows = true;
          return true;
        }
        alive = true;
        fired[t] = true;
        edges++;
        visit(marking + net.delta(t));
      }
    }
    return alive;
  }

  private void visit(long marking) {
    long[] slots = table;
    int slot = slot(marking, slots.length);
    long there = slots[slot];
    while (there != 0) {
      if (there == marking) {
        return;
      }
      slot = slot + 1 == slots.length ? 0 : slot + 1;
      there = slots[slot];
    }
    slots[slot] = marking;
    if (nextCount == next.length) {
      next = java.util.Arrays.copyOf(next, nextCount * 2);
    }
    next[nextCount++] = marking;
    if (++count > limit) {
      grow();
    }
  }

  private static int slot(long marking, int length) {
    long hash = marking * 0x9E3779B97F4A7C15L;
    hash ^= hash >>> 29;
    return (int) (((hash >>> 32) * length) >>> 32);
  }

  /// Grows the table by three fifths, so that it is always at least half full.
  private void grow() {
    long[] old = table;
    table = new long[(int) Math.min(Integer.MAX_VALUE - 8, old.length * 16L / 10)];
    limit = (long) (table.length * FULL);
    for (long marking : old) {
      if (marking != 0) {
        int slot = slot(marking, table.length);
        while (table[slot] != 0) {
          slot = slot + 1 == table.length ? 0 : slot + 1;
        }
        table[slot] = marking;
      }
    }
  }
}
