package dev.damask.cases;

import dev.damask.effect.EffectIntent.Held;
import dev.damask.task.Context;
import dev.damask.task.EffectId;

/// A task that waits for its effect.
///
/// @param token the number of the token that waits, as the trace shows it
/// @param label the instance it belongs to, such as `2.1`; empty outside of instances
/// @param key the idempotency key
/// @param held whether it waits for somebody's decision
/// @param with what the effect is asked to do, with markers in the place of secrets
public record PendingTask(
    EffectId id,
    int token,
    String task,
    String label,
    int attempt,
    String type,
    String key,
    Held held,
    Context with) {}
