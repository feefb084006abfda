package dev.damask.exec;

import dev.damask.program.Pool;
import dev.damask.task.Context;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// What one join group keeps: who is alive in it, and what its join has got so far. The outermost
/// group has no join and keeps what belongs to all processes together.
final class GroupState {
  final Pool.Processes processes;

  /// The outermost group.
  final Frame root;

  /// The index of the join that opened the group; -1 for the outermost.
  final int join;

  /// The process that waits for this group, in the group around it; null when the join is decided.
  @Nullable Token target;

  /// What each source delivered; null while it has not.
  final @Nullable Context[] got;

  int gotCount;

  /// Whether the join has been decided, one way or the other. It never opens again.
  boolean closed;

  /// How many processes of the group stand at each step and have not been evaluated.
  final int[] live;

  // What follows belongs to the outermost group only.

  /// How many processes there have been; the number of the last one.
  int made;

  boolean paused;
  long cost;

  /// How many processes of all groups have passed their gates and not ended; follows from them.
  int running;

  /// How many of them there may be; follows from the context of the case, 0 until it was looked up.
  int window;

  /// The keys of the engine; follow from the context of the case, null until they are needed.
  @Nullable Context common;

  /// The payload of the process that ended last; null when none was evaluated to its end.
  @Nullable Context result;

  GroupState(Pool.Processes processes, @Nullable Frame root, Frame self, int join) {
    this.processes = processes;
    this.root = root == null ? self : root;
    this.join = join;
    this.got = new Context[join < 0 ? 0 : processes.joins()[join].from().length];
    this.live = new int[processes.steps().length];
  }

  Pool.GroupJoin spec() {
    return processes.joins()[join];
  }

  boolean isOpen() {
    return join >= 0 && !closed;
  }

  /// Whether nothing may begin in it any more.
  boolean isShut() {
    return closed && spec().kills();
  }

  /// The source an evaluation counts for: the first that wants it and has nothing; -1 for none.
  int accepts(int step, boolean valid) {
    if (isOpen()) {
      Pool.GroupJoin spec = spec();
      for (int i = 0; i < got.length; i++) {
        if (spec.from()[i] == step && got[i] == null && spec.when()[i].accepts(valid)) {
          return i;
        }
      }
    }
    return -1;
  }

  /// How many of the missing sources some live process of the group can still bring about.
  int possible() {
    BitSet reached = new BitSet(live.length);
    for (int step = 0; step < live.length; step++) {
      if (live[step] > 0) {
        reached.or(processes.reach()[step]);
      }
    }
    int possible = 0;
    for (int i = 0; i < got.length; i++) {
      possible += got[i] == null && reached.get(spec().from()[i]) ? 1 : 0;
    }
    return possible;
  }
}
