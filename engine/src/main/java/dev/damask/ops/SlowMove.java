package dev.damask.ops;

import java.time.Duration;
import java.util.List;

/// A case that keeps the thread of its shard for longer than the budget of a move. Other cases of
/// the shard wait meanwhile. Declare the task `slow`, or make it an effect.
///
/// @param task the task whose function ran when the move was noticed; empty when the machine itself
///   was at work
/// @param time how long the move had lasted when it was noticed
/// @param stack what the thread of the shard did, innermost first
public record SlowMove(
    String caseId, String workflow, String task, Duration time, List<String> stack) {
  public SlowMove {
    stack = List.copyOf(stack);
  }

  @Override
  public String toString() {
    return "case %s of workflow %s has kept its shard for %d ms%s"
        .formatted(
            caseId, workflow, time.toMillis(), task.isEmpty() ? "" : " in task '" + task + "'");
  }
}
