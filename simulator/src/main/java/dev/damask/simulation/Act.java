package dev.damask.simulation;

import dev.damask.event.Input;
import dev.damask.term.Schedule;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;

/// What external callers do to a case.
sealed interface Act {
  /// Sends an input with a message id.
  record Feed(Input input) implements Act {}

  /// Does something to a task that waits; an empty name stands for the first that does.
  sealed interface OnTask extends Act {
    String task();
  }

  /// Withdraws a task.
  record CancelTask(String task) implements OnTask {}

  /// Answers a task in the place of its handler.
  record Complete(String task, Context result) implements OnTask {}

  /// Fails an attempt of a task in the place of its handler.
  record Fail(String task) implements OnTask {}

  /// Decides about a task that needs an approval.
  record Decide(String task, boolean isApproved, String by) implements OnTask {}

  /// Puts a schedule with the id of the case as its name.
  record Repeat(Schedule schedule, WorkflowDefinition workflow) implements Act {}

  /// Pauses the case, and resumes it when the pause was acknowledged.
  record Pause() implements Act {}

  /// Writes keys of the first token that waits, and signals a place when that was acknowledged.
  record Change(Context values, String place) implements Act {}

  /// Moves the case to another version of its workflow.
  record Migrate(WorkflowDefinition target) implements Act {}
}
