package dev.damask.exec;

import dev.damask.task.Context;
import dev.damask.task.EffectSpec;
import org.jspecify.annotations.Nullable;

/// What a token waits for and since when. Waits are numbered in the order they begin.
final class Wait {
  final int number;

  /// When a timer ends the wait; [Timers#NEVER] when none does.
  long due = Timers.NEVER;

  /// The alternative, among those of the wait, that the timer takes.
  int timerAlternative = -1;

  /// The effect, for a task: its id, its attempt, and what the due time means.
  long effect;

  int attempt;
  boolean retrying;

  /// The request a task function made itself; null when the task's template makes it, and after a
  /// restart, when the engine's own record of the intent has it.
  @Nullable EffectSpec spec;

  /// Whether the wait is for the places a scope holds.
  boolean holds;

  /// The group whose join a held process waits for; null when it waits for none.
  @Nullable Frame group;

  /// Whether an external place, or `expired`, is among the alternatives.
  boolean external;

  boolean expires;

  Wait(int number) {
    this.number = number;
  }

  /// The payload of a taken token, laid over the context of the one who took it.
  static Context receive(Context context, Context payload) {
    return payload.isEmpty() ? context : context.withAll(payload);
  }
}
