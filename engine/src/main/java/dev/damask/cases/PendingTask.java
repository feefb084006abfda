package dev.damask.cases;

import dev.damask.effect.EffectIntent.Held;
import dev.damask.task.EffectId;
import dev.damask.task.TaskAddress;
import dev.damask.value.Context;
import java.util.OptionalLong;

/// A task that waits for its effect.
///
/// @param token the number of the token that waits, as the trace shows it
/// @param label the instance it belongs to, such as `2.1`; empty outside of instances
/// @param execution which execution of the task in its instance it is, from 1
/// @param key the idempotency key
/// @param held whether it waits for somebody's decision
/// @param notBefore when its next attempt begins; empty while an attempt runs
/// @param with what the effect is asked to do, with markers in the place of secrets
public record PendingTask(
    EffectId id,
    int token,
    String task,
    String label,
    int execution,
    int attempt,
    String type,
    String key,
    Held held,
    OptionalLong notBefore,
    Context with) {
  /// The address of this execution, such as `A[2]#1`.
  public TaskAddress address() {
    return TaskAddress.of(task, label, execution);
  }
}
