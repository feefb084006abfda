package dev.damask.cases;

import dev.damask.task.EffectId;

/// A task that waits for its effect.
///
/// @param token the number of the token that waits, as the trace shows it
/// @param label the instance it belongs to, such as `2.1`; empty outside of instances
/// @param key the idempotency key
public record PendingTask(
    EffectId id, int token, String task, String label, int attempt, String type, String key) {}
