package dev.damask.ops;

import dev.damask.task.Delivery;
import dev.damask.value.Context;
import java.time.Instant;

/// A task that a worker has claimed.
///
/// @param claim names the claim in later calls
/// @param attempt from 1
/// @param key the idempotency key of the effect
/// @param with the payload, with markers in the place of secrets
/// @param until when the lease ends
public record ClaimedTask(
    String claim,
    WaitingTask task,
    int attempt,
    String key,
    Delivery delivery,
    Context with,
    Instant until) {}
