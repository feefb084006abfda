package dev.damask.caller;

import dev.damask.effect.Effect;
import dev.damask.effect.EffectIntent.Held;
import dev.damask.effect.Pause;
import dev.damask.task.TaskAddress;
import dev.damask.value.Context;
import java.util.Optional;
import java.util.OptionalLong;

/// A task that waits for its effect.
///
/// @param effect the effect; its key is empty while it has no intent
/// @param token the number of the token that waits, as the trace shows it
/// @param label the instance it belongs to, such as `2.1`; empty outside of instances
/// @param execution which execution of the task in its instance it is, from 1
/// @param held whether it waits for a decision
/// @param notBefore when its next attempt begins; empty while an attempt runs
/// @param with the effect's payload, with markers in the place of secrets
/// @param pause why no attempt is in progress: the task is an incident, or waits for a permit
public record PendingTask(
    Effect effect,
    int token,
    String label,
    int execution,
    Held held,
    OptionalLong notBefore,
    Context with,
    Optional<Pause> pause)
    implements Effect.Embedded {
  /// Returns whether the task waits for an operator; see `Engine.incidents`.
  public boolean isIncident() {
    return pause.isPresent() && pause.get() instanceof Pause.Incident;
  }

  /// Returns the address of this execution, such as `A[2]#1`.
  public TaskAddress address() {
    return TaskAddress.of(task(), label, execution);
  }
}
