package dev.damask.event;

import dev.damask.value.StepOutcome;

/// What a trace event reports about the processes of an orchestration, as data.
public sealed interface ProcessEvent {
  /// The event for people, in the words of stored traces and recordings.
  String text();

  /// A process was created.
  ///
  /// @param number from 1, in the order of creation
  /// @param parent the number of the process that spawned it; 0 for the first
  /// @param dueMillis when it begins at the latest; [#NOT_TIMED] if no time is set
  record Spawned(int number, int parent, long dueMillis) implements ProcessEvent {
    /// The due time of a process that begins at once or waits for its join.
    public static final long NOT_TIMED = Long.MIN_VALUE;

    @Override
    public String text() {
      String due = dueMillis == NOT_TIMED ? "" : " due=" + dueMillis;
      return number + " parent=" + parent + due;
    }
  }

  /// A process was evaluated; the event's [TraceEvent#evaluation] has the rest.
  record Evaluated(int number, StepOutcome outcome) implements ProcessEvent {
    @Override
    public String text() {
      return number + " " + outcome.word();
    }
  }

  /// A process ended without taking a branch.
  ///
  /// @param reason for people
  record Aborted(int number, String reason) implements ProcessEvent {
    @Override
    public String text() {
      return number + " " + reason;
    }
  }

  /// The effect that a process requested with its evaluation is done.
  ///
  /// @param note a JSON object; empty if there is nothing to report
  record Sent(int number, String note) implements ProcessEvent {
    @Override
    public String text() {
      return number + " " + note;
    }
  }

  /// The target of a join waits for a group.
  record Awaits(int group) implements ProcessEvent {
    @Override
    public String text() {
      return "waits for " + group;
    }
  }

  /// The join of a group closed, and its target continues.
  record Joined(int number, int group) implements ProcessEvent {
    @Override
    public String text() {
      return number + " group=" + group;
    }
  }

  /// A message woke a process.
  record Woken(int number) implements ProcessEvent {
    @Override
    public String text() {
      return number + " woken";
    }
  }

  /// The processes received a message; the subject of the event is its name.
  ///
  /// @param tag the tag of the message, by which its sender finds this event
  /// @param woken the number of processes that it woke
  record Received(String tag, int woken) implements ProcessEvent {
    @Override
    public String text() {
      return tag + " " + woken;
    }
  }
}
