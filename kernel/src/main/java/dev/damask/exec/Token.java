package dev.damask.exec;

import dev.damask.task.Context;
import dev.damask.task.ProcessInfo;
import org.jspecify.annotations.Nullable;

/// One logical thread of a case. The machine alone changes it.
final class Token {
  enum State {
    READY,
    /// Waits for the result of an effect.
    EFFECT,
    /// Waits for an alternative, or for the places its scope holds.
    AWAIT,
    /// Waits on an arc of a graph join.
    QUEUED,
    GONE,
    /// Waits at the gate of a step: for its time, for its join, or while its processes are paused.
    HELD
  }

  final int id;
  Frame frame;
  int ip;
  Context context;

  /// The step of the last write of each key; kept only in programs with graph joins.
  Context stamps;

  /// Remaining rounds plus one of each open count loop; null until one is entered.
  long @Nullable [] loops;

  State state = State.READY;
  final long lineage;

  /// How many things came from this token so far.
  int ordinal;

  /// The node of the net, or the step of the processes, it is at; -1 outside of both and on an arc.
  int node = -1;

  /// The process it is; null for every other token.
  @Nullable ProcessInfo process;

  /// The arc of the net it is queued on, or -1.
  int arc = -1;

  /// What it waits for; null while it does not wait.
  @Nullable Wait wait;

  /// Neighbours in the list of its frame.
  @Nullable Token previous;

  @Nullable Token next;

  Token(int id, Frame frame, int ip, Context context, Context stamps, long lineage) {
    this.id = id;
    this.frame = frame;
    this.ip = ip;
    this.context = context;
    this.stamps = stamps;
    this.lineage = lineage;
  }

  long nextLineage() {
    return Lineage.of(lineage, ++ordinal);
  }
}
