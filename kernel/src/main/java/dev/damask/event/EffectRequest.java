package dev.damask.event;

import dev.damask.program.Pool;
import dev.damask.task.EffectId;
import dev.damask.task.TaskAddress;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A task that waits for its effect.
///
/// @param attempt from 1
/// @param notBefore when a further attempt may start; empty when it may start now; [#NEVER] while
///   the task is an incident
/// @param label the instance it belongs to, such as `2.1`; empty outside of instances
/// @param execution which execution of the task in its instance it is, from 1
/// @param allow the effect types that every scope around it allows; null when none restricts them
/// @param undoes whether it undoes what was done before
/// @param requested what the task function requested; null when the task has a template, and after
///   a restart, when the record of the intent has it
/// @param computes whether it is not an effect: the function of the task runs outside of the
///   machine, and the result of the task is the context that the function returns
/// @param undone the effect of the task that this one undoes; null if it undoes none, or is not the
///   first part of the undo
public record EffectRequest(
    TokenId token,
    EffectId id,
    Pool.Task task,
    Context context,
    int attempt,
    OptionalLong notBefore,
    String label,
    int execution,
    @Nullable List<String> allow,
    boolean undoes,
    @Nullable EffectSpec requested,
    boolean computes,
    @Nullable EffectId undone) {
  /// The time before which no attempt of an incident starts.
  public static final long NEVER = Long.MAX_VALUE;

  /// Returns whether the task is an incident: its attempts are used up, and it waits for an
  /// operator.
  public boolean isParked() {
    return notBefore.isPresent() && notBefore.getAsLong() == NEVER;
  }

  /// Returns the address of this execution, such as `A[2]#1`.
  public TaskAddress address() {
    return TaskAddress.of(task.name(), label, execution);
  }

  /// Returns the request: that of the task function, or the one that the template creates.
  public EffectSpec spec() {
    if (requested != null) {
      return requested;
    }
    return task.template() == null ? EffectSpec.of(task.name()) : task.template().specFor(context);
  }
}
