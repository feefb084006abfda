package dev.damask.effect;

import dev.damask.task.EffectId;

/// One effect of a case: which attempt of which task requests it, of which type, under which
/// idempotency key. Its intent, its calls, its receipts and the view of its task embed it.
///
/// @param id the same for every attempt of one execution of a task
/// @param task the name of the task
/// @param attempt the number of the attempt, from 1
/// @param type the type that handlers are registered for
/// @param key the idempotency key; the same for every attempt and after every restart
public record Effect(EffectId id, String task, int attempt, String type, String key) {
  /// Returns the same effect in another attempt.
  public Effect forAttempt(int number) {
    return number == attempt ? this : new Effect(id, task, number, type, key);
  }

  /// A record about an effect. It has the accessors of the effect.
  public interface Embedded {
    /// Returns the effect.
    Effect effect();

    /// Returns the effect's id.
    default EffectId id() {
      return effect().id();
    }

    /// Returns the name of the task that requests the effect.
    default String task() {
      return effect().task();
    }

    /// Returns the number of the attempt, from 1.
    default int attempt() {
      return effect().attempt();
    }

    /// Returns the type that handlers are registered for.
    default String type() {
      return effect().type();
    }

    /// Returns the idempotency key.
    default String key() {
      return effect().key();
    }
  }
}
