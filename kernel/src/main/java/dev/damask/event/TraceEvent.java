package dev.damask.event;

import dev.damask.program.Code;
import dev.damask.value.Context;
import dev.damask.value.Numbered;
import dev.damask.value.StepResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One thing that happened in a case, in order.
///
/// @param step the step counter when it happened
/// @param atMillis the case's clock when it happened; [#NO_TIME] when it was not recorded
/// @param rule the reduction rule or event it belongs to
/// @param token the token concerned, 0 when it is none
/// @param before the address of the token before; -1 when that means nothing
/// @param after the address after
/// @param scope the frame of the token
/// @param subject the task, scope or place concerned; empty when there is none
/// @param label the instance, such as `2.1`; empty outside of instances
/// @param detail what changed, for people
/// @param evaluation what came of an evaluation; null when nothing was evaluated
/// @param process what the event reports about a process; null when it is not about processes. Then
///   its text is the detail
public record TraceEvent(
    long step,
    long atMillis,
    Kind kind,
    String rule,
    int token,
    int before,
    int after,
    int scope,
    String subject,
    String label,
    String detail,
    @Nullable Evaluation evaluation,
    @Nullable ProcessEvent process) {
  /// The time of an event that was recorded before events had one.
  public static final long NO_TIME = Long.MIN_VALUE;

  public TraceEvent {
    if (evaluation != null && kind != Kind.EVALUATED) {
      throw new IllegalArgumentException("only an evaluation has evaluated values, got " + kind);
    }
    if (process != null && !detail.isEmpty()) {
      throw new IllegalArgumentException("the detail is the text of the process event: " + detail);
    }
  }

  /// Creates an event that is not about processes.
  public TraceEvent(
      long step,
      long atMillis,
      Kind kind,
      String rule,
      int token,
      int before,
      int after,
      int scope,
      String subject,
      String label,
      String detail,
      @Nullable Evaluation evaluation) {
    this(
        step,
        atMillis,
        kind,
        rule,
        token,
        before,
        after,
        scope,
        subject,
        label,
        detail,
        evaluation,
        null);
  }

  /// Returns what changed, for people. Programs read [#process] and [#evaluation].
  @Override
  public String detail() {
    return process == null ? detail : process.text();
  }

  /// Whether this is one reduction, as the step counter counts them. Administrative instructions
  /// are traced at level full and not counted.
  public boolean isReduction() {
    return kind.reduces && !(kind == Kind.STEP && Code.isAdministrative(rule));
  }

  /// The same event at another time.
  public TraceEvent at(long millis) {
    return new TraceEvent(
        step,
        millis,
        kind,
        rule,
        token,
        before,
        after,
        scope,
        subject,
        label,
        detail,
        evaluation,
        process);
  }

  /// What an evaluation left behind.
  ///
  /// @param payload what children and joins receive
  /// @param cost what it cost
  /// @param note the note of the step
  public record Evaluation(Context payload, long cost, StepResult.Note note) {}

  /// What kind of event it is, at which level it is traced, and whether it is a reduction. Stored
  /// traces refer to kinds by number.
  public enum Kind implements Numbered {
    /// A reduction that is none of the others.
    STEP(0, Level.FULL, true),
    /// A task function ran.
    RAN(1, Level.FULL, true),
    STARTED(2, Level.MIN, false),
    COMPLETED(3, Level.MIN, true),
    WITHDRAWN(4, Level.MIN, false),
    FAILED(5, Level.MIN, false),
    FORKED(6, Level.MIN, false),
    JOINED(7, Level.MIN, false),
    /// A join was given up.
    ABANDONED(8, Level.MIN, false),
    CANCELLED(9, Level.MIN, false),
    SIGNALLED(10, Level.MIN, false),
    ENDED(11, Level.MIN, false),
    /// A process was created ([ProcessEvent.Spawned]).
    SPAWNED(12, Level.MIN, false),
    /// A process was evaluated ([ProcessEvent.Evaluated]).
    EVALUATED(13, Level.MIN, false),
    /// A process ended without taking a branch ([ProcessEvent.Aborted]).
    ABORTED(14, Level.MIN, false),
    /// A task function ran and requested an effect.
    ASKED(15, Level.FULL, true),
    /// A reduction failed and removed its token; a raised failure follows.
    STOPPED(16, Level.FULL, true),
    /// A payload, an error or collected values were written to a context.
    WROTE(17, Level.FULL, true),
    /// A token was created.
    CREATED(18, Level.FULL, false),
    /// A token was removed.
    REMOVED(19, Level.FULL, false),
    /// A waiting token passed its wait.
    PASSED(20, Level.FULL, false),
    /// A timer fired.
    TIMED(21, Level.FULL, false),
    /// A blocking join began a new round.
    RESET(22, Level.FULL, false),
    /// A failure was passed to the scopes around it; the detail is its reason.
    RAISED(23, Level.MIN, false),
    /// A scope handled a failure; the detail is its reason.
    HANDLED(24, Level.MIN, false),
    /// Another attempt of a task was planned.
    RETRIED(25, Level.MIN, false),
    /// A completed task is being undone.
    UNDOING(26, Level.MIN, false),
    /// An instance was added to an open set.
    ADDED(27, Level.MIN, false),
    /// A set of instances was closed.
    CLOSED(28, Level.MIN, false),
    /// The case is deadlocked.
    STUCK(29, Level.MIN, false),
    /// The effect that a process requested with its evaluation is done ([ProcessEvent.Sent]).
    SENT(30, Level.MIN, false),
    /// A set of instances that is not open did not accept an addition or a close from within.
    REJECTED(31, Level.MIN, false),
    /// A task has become an incident; the detail is its reason.
    PARKED(32, Level.MIN, false);

    private enum Level {
      MIN,
      FULL
    }

    private static final List<Kind> BY_NUMBER = Numbered.ordered(values());
    private static final int FIRST_FORMAT = 14;

    private final int number;
    private final boolean minimal;
    private final boolean reduces;

    Kind(int number, Level level, boolean reduces) {
      this.number = number;
      this.minimal = level == Level.MIN;
      this.reduces = reduces;
    }

    @Override
    public int number() {
      return number;
    }

    /// Returns the constants in the order of their numbers.
    public static List<Kind> byNumber() {
      return BY_NUMBER;
    }

    /// Whether level min shows it.
    public boolean isMinimal() {
      return minimal;
    }

    /// Whether traces of the first format have events of this kind.
    public boolean isOfFirstFormat() {
      return number <= FIRST_FORMAT;
    }
  }
}
