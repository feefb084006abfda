package dev.damask.ops;

import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.term.Schedule.CatchUp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What happens when a schedule is due.
final class ScheduleFiring {
  /// A time that is not older than this was not missed.
  private static final long LATE_MAX = Duration.ofMinutes(1).toMillis();

  private final ScheduledStarts starts;

  ScheduleFiring(ScheduledStarts starts) {
    this.starts = starts;
  }

  /// Deals with the first time that is due. Completes with the schedule as it is stored then, with
  /// a later due time.
  CompletableFuture<ScheduleRow> fire(TableRow old, ScheduleRow row, long now) {
    long last = row.lastUntil(now);
    boolean isOnTime = now - last <= LATE_MAX;
    long time =
        switch (row.schedule().catchUp()) {
          case CatchUp.None() -> isOnTime ? last : ScheduleRow.NEVER;
          case CatchUp.Last() -> last;
          case CatchUp.Within(var duration) ->
              within(row, now, last, duration.toMillis(), isOnTime);
        };
    boolean isAll = row.schedule().catchUp() instanceof CatchUp.Within;
    long next = row.nextAfter(isAll && time != ScheduleRow.NEVER ? time : last);
    if (time == ScheduleRow.NEVER) {
      return write(old, row.withDue(next));
    }
    boolean isRunning = !row.lastCase().isEmpty() && !starts.hasEnded(row.lastCase());
    return isRunning ? overlapping(old, row, time, next) : start(old, row, time, next);
  }

  /// The first time that is not too old.
  private static long within(ScheduleRow row, long now, long last, long millis, boolean isOnTime) {
    long first = row.due() >= now - millis ? row.due() : row.nextAfter(now - millis - 1);
    return first <= now ? first : isOnTime ? last : ScheduleRow.NEVER;
  }

  private CompletableFuture<ScheduleRow> overlapping(
      TableRow old, ScheduleRow row, long time, long next) {
    return switch (row.schedule().overlap()) {
      case SKIP -> write(old, row.withSkipped(next));
      case QUEUE ->
          write(
              old,
              row.queued() == ScheduleRow.NEVER
                  ? row.withQueued(time, next)
                  : row.withSkipped(next));
      case ALLOW -> start(old, row, time, next);
      case REPLACE -> {
        String reason =
            "replaced by schedule %s at %s".formatted(row.name(), Instant.ofEpochMilli(time));
        yield starts.cancel(row.lastCase(), reason).thenCompose(_ -> start(old, row, time, next));
      }
    };
  }

  private CompletableFuture<ScheduleRow> start(
      TableRow old, ScheduleRow row, long time, long next) {
    String caseId = row.caseId(time);
    return begin(old, row, caseId, row.withStarted(caseId, time, next));
  }

  /// Starts a case and stores the schedule in the same commit.
  CompletableFuture<ScheduleRow> begin(
      TableRow old, ScheduleRow row, String caseId, ScheduleRow after) {
    return starts
        .start(row.workflow(), caseId, row.input(), replaced(old, after))
        .thenCompose(isNew -> isNew ? CompletableFuture.completedFuture(after) : write(old, after));
  }

  private CompletableFuture<ScheduleRow> write(TableRow old, ScheduleRow after) {
    return starts.write(after.name(), old, replaced(old, after)).thenApply(_ -> after);
  }

  /// The changes that replace a row: its index key may change.
  ///
  /// @param old null if there is none
  static List<RowChange> replaced(@Nullable TableRow old, ScheduleRow after) {
    List<RowChange> changes = new ArrayList<>();
    if (old != null) {
      changes.add(new RowChange.Remove(old));
    }
    changes.add(new RowChange.Put(after.row()));
    return changes;
  }
}
