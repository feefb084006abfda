package dev.damask.ops;

import java.time.Duration;
import java.util.List;

/// What an engine has done since it was opened, and what it has in hand.
///
/// @param removed cases that were kept long enough
/// @param effects calls of handlers
/// @param commits how many revisions of cases became durable
/// @param batches in how many batches
/// @param bytes of those revisions, without receipts and traces
/// @param resident how many cases are in memory
/// @param inbox how many inputs wait
/// @param openCalls how many effects run or wait for their turn
/// @param committing from the end of a round of a shard until its batch was durable
/// @param cancelling from the call of `cancel` until it was durable and handlers were interrupted
/// @param moving how long cases kept the thread of their shard in one go
/// @param slowMoves how many moves took longer than the budget
/// @param shardRestarts how often a shard was restarted because something outside of a move broke
///   it
/// @param calls how many workflows `call` has run
/// @param incidents how many tasks wait for an operator
/// @param waitingForPermit how many attempts wait because of the limit of their effect type
/// @param paused how many cases are paused
/// @param casesWithoutProgram how many cases that have not ended had no program when the engine was
///   opened, or when a workflow was registered last
/// @param byType the handler calls of each effect type, by name
public record Statistics(
    Duration uptime,
    long started,
    long ended,
    long removed,
    long steps,
    long effects,
    long commits,
    long batches,
    long bytes,
    long resident,
    long inbox,
    long openCalls,
    Latency committing,
    Latency cancelling,
    Latency moving,
    long slowMoves,
    long shardRestarts,
    long calls,
    long incidents,
    long waitingForPermit,
    long paused,
    long casesWithoutProgram,
    List<EffectFigures> byType) {
  public Statistics {
    byType = List.copyOf(byType);
  }

  /// Any of the counts as a rate.
  public double perSecond(long count) {
    return uptime.isZero() ? 0 : count * 1e9 / uptime.toNanos();
  }

  /// The mean size of a revision.
  public long bytesPerCase() {
    return commits == 0 ? 0 : bytes / commits;
  }
}
