package dev.damask.ops;

import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import dev.damask.term.Cron;
import dev.damask.term.Schedule;
import dev.damask.term.Schedule.CatchUp;
import dev.damask.term.Schedule.Overlap;
import dev.damask.term.Timing;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.time.Duration;
import java.time.Instant;

/// A schedule as it is stored: a row of the store's table, indexed by its due time.
///
/// @param anchor when it was created; intervals count from there
/// @param due the next time; [#NEVER] while it is paused
/// @param lastTime the time of the last case; [#NEVER] if there was none
/// @param lastCase the last case that was started; empty if there was none
/// @param queued the time of the start that waits for the last case; [#NEVER] if none waits
/// @param triggers how many cases were started by hand
/// @param skipped how many times were skipped because a case was running
record ScheduleRow(
    String name,
    String workflow,
    Context input,
    Schedule schedule,
    long anchor,
    boolean isPaused,
    long due,
    long lastTime,
    String lastCase,
    long queued,
    long triggers,
    long skipped) {
  static final String KIND = "schedule";
  static final long NEVER = Long.MAX_VALUE;

  /// Due times are indexed as numbers of this many digits.
  private static final int DIGITS = 19;

  private static final int VERSION = 1;
  private static final int CRON = 1;
  private static final int EVERY = 2;
  private static final int NONE = 0;
  private static final int LAST = 1;
  private static final int WITHIN = 2;

  /// A new schedule.
  static ScheduleRow of(String name, String workflow, Context input, Schedule schedule, long now) {
    ScheduleRow made =
        new ScheduleRow(name, workflow, input, schedule, now, false, NEVER, NEVER, "", NEVER, 0, 0);
    return made.withDue(made.nextAfter(now));
  }

  /// The first due time after a time.
  long nextAfter(long millis) {
    return schedule
        .timing()
        .next(Instant.ofEpochMilli(millis), Instant.ofEpochMilli(anchor))
        .toEpochMilli();
  }

  /// The last due time that is not after a time, which is not before `due`.
  long lastUntil(long now) {
    return schedule
        .timing()
        .last(Instant.ofEpochMilli(due), Instant.ofEpochMilli(now), Instant.ofEpochMilli(anchor))
        .toEpochMilli();
  }

  /// Whether a definition is the same.
  boolean isSame(String otherWorkflow, Context otherInput, Schedule other) {
    return workflow.equals(otherWorkflow) && input.equals(otherInput) && schedule.equals(other);
  }

  ScheduleRow withDue(long next) {
    return copy(isPaused, next, lastTime, lastCase, queued, triggers, skipped);
  }

  ScheduleRow withPaused(boolean value, long next) {
    return copy(value, next, lastTime, lastCase, NEVER, triggers, skipped);
  }

  ScheduleRow withStarted(String caseId, long time, long next) {
    return copy(isPaused, next, time, caseId, NEVER, triggers, skipped);
  }

  ScheduleRow withTriggered(String caseId, long time) {
    return copy(isPaused, due, time, caseId, queued, triggers + 1, skipped);
  }

  ScheduleRow withQueued(long time, long next) {
    return copy(isPaused, next, lastTime, lastCase, time, triggers, skipped);
  }

  ScheduleRow withSkipped(long next) {
    return copy(isPaused, next, lastTime, lastCase, queued, triggers, skipped + 1);
  }

  /// This schedule with another definition; what has happened stays.
  ScheduleRow withDefinition(String newWorkflow, Context newInput, Schedule newSchedule, long now) {
    ScheduleRow changed =
        new ScheduleRow(
            name,
            newWorkflow,
            newInput,
            newSchedule,
            now,
            isPaused,
            NEVER,
            lastTime,
            lastCase,
            NEVER,
            triggers,
            skipped);
    return isPaused ? changed : changed.withDue(changed.nextAfter(now));
  }

  private ScheduleRow copy(
      boolean paused,
      long next,
      long time,
      String caseId,
      long waiting,
      long byHand,
      long leftOut) {
    return new ScheduleRow(
        name, workflow, input, schedule, anchor, paused, next, time, caseId, waiting, byHand,
        leftOut);
  }

  /// The id of the case of a time: the same after a crash and a clock jump.
  String caseId(long time) {
    return name + ":" + Instant.ofEpochMilli(time).toString().replace(":", "");
  }

  /// The id of the next case that is started by hand.
  String triggeredId() {
    return name + ":t" + (triggers + 1);
  }

  TableRow row() {
    Encoder out = new Encoder();
    out.octet(VERSION);
    out.text(workflow);
    switch (schedule.timing()) {
      case Cron cron -> {
        out.octet(CRON);
        out.text(cron.expression());
        out.text(cron.zone().getId());
      }
      case Timing.Every(var interval) -> {
        out.octet(EVERY);
        out.whole(interval.toMillis());
      }
    }
    out.octet(schedule.overlap().number());
    switch (schedule.catchUp()) {
      case CatchUp.None() -> out.octet(NONE);
      case CatchUp.Last() -> out.octet(LAST);
      case CatchUp.Within(var duration) -> {
        out.octet(WITHIN);
        out.whole(duration.toMillis());
      }
    }
    out.whole(anchor);
    out.flag(isPaused);
    out.whole(due);
    out.whole(lastTime);
    out.text(lastCase);
    out.whole(queued);
    out.natural(triggers);
    out.natural(skipped);
    out.context(input);
    return new TableRow(KIND, name, 0, Bytes.of(out.toBytes()), due == NEVER ? "" : index(due));
  }

  /// The index key of a due time; times are ordered as their keys are.
  static String index(long due) {
    String digits = Long.toString(Math.max(0, due));
    return "0".repeat(DIGITS - digits.length()) + digits;
  }

  /// Reads a row. Throws [StoreException] if it cannot be read.
  static ScheduleRow of(TableRow row) {
    try {
      Decoder in = new Decoder(row.value().toArray());
      if (in.octet() != VERSION) {
        throw in.damaged("a newer version wrote it");
      }
      ScheduleRow read = read(row.key(), in);
      in.requireEnd();
      return read;
    } catch (Decoder.DamagedBytes | IllegalArgumentException e) {
      throw new StoreException("schedule " + row.key() + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static ScheduleRow read(String name, Decoder in) {
    String workflow = in.text();
    Timing timing =
        in.octet() == CRON
            ? Cron.of(in.text(), Cron.zone(in.text()))
            : new Timing.Every(Duration.ofMillis(in.whole()));
    Overlap overlap = in.oneOf(Overlap.byNumber());
    int kind = in.octet();
    CatchUp catchUp =
        kind == NONE
            ? CatchUp.none()
            : kind == LAST ? CatchUp.last() : CatchUp.within(Duration.ofMillis(in.whole()));
    long anchor = in.whole();
    boolean isPaused = in.flag();
    long due = in.whole();
    long lastTime = in.whole();
    String lastCase = in.text();
    long queued = in.whole();
    long triggers = in.natural();
    long skipped = in.natural();
    return new ScheduleRow(
        name,
        workflow,
        in.context(),
        new Schedule(timing, overlap, catchUp),
        anchor,
        isPaused,
        due,
        lastTime,
        lastCase,
        queued,
        triggers,
        skipped);
  }

  ScheduleView view() {
    return new ScheduleView(
        name,
        workflow,
        schedule,
        input,
        isPaused,
        ScheduleView.time(due),
        ScheduleView.time(lastTime),
        lastCase,
        ScheduleView.time(queued),
        skipped);
  }
}
