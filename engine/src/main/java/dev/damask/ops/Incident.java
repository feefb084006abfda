package dev.damask.ops;

import dev.damask.effect.Effect;
import java.time.Instant;

/// A task that waits for an operator: its attempts are used up, or the engine cannot continue it.
///
/// @param caseId the case of the task
/// @param workflow the workflow that the case had when the incident began
/// @param effect the effect of the task, in its last attempt
/// @param address the execution of the task, such as `A[2]#1`
/// @param since when the last attempt failed
/// @param reason the reason of the last failure
/// @param detail what the handler reported, for people
public record Incident(
    String caseId,
    String workflow,
    Effect effect,
    String address,
    Instant since,
    String reason,
    String detail)
    implements Effect.Embedded {
  @Override
  public String toString() {
    return "case %s: task %s of workflow %s is an incident after attempt %d: %s%s"
        .formatted(
            caseId, address, workflow, attempt(), reason, detail.isEmpty() ? "" : ": " + detail);
  }
}
