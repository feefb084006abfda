package dev.damask.ops;

import dev.damask.task.EffectId;
import java.time.Instant;

/// A task that waits for a person or a program: no handler of the engine performs it.
///
/// @param id the execution of the task
/// @param task the name of the task
/// @param address the execution for people, such as `A[2]#1`
/// @param type the effect type, by which workers claim tasks
/// @param assignee the value of key `assignee` of the payload; empty if it has none
/// @param since when the task began to wait
public record WaitingTask(
    String caseId,
    String workflow,
    EffectId id,
    String task,
    String address,
    String type,
    String assignee,
    Instant since) {}
