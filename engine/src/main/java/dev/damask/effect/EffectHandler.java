package dev.damask.effect;

import dev.damask.task.EffectFunction;
import org.jspecify.annotations.Nullable;

/// The port to the outside: performs the effects of one type.
///
/// It runs on a virtual thread unless it is declared CPU-bound ([#isCpuBound]), may block, and is
/// interrupted when its task is withdrawn. A map, a record or a context it returns is written into
/// the task's context; null writes nothing; any other value is written under the task's name. What
/// it throws fails the attempt: [EffectException] with a reason of its own, [EffectNotSent] with
/// `not_sent`, anything else with `exception`. The outcome of an at-most-once effect is unknown
/// after anything else, and after the reason `timeout`.
@FunctionalInterface
public interface EffectHandler {
  /// Performs one effect and returns its result.
  @Nullable Object call(EffectCall call) throws Exception;

  /// Called after the interrupt when a call is withdrawn, to tell the other side.
  default void cancel(EffectCall call) {}

  /// Whether secrets are filled in at the call. One that writes down what it gets takes none, and
  /// sees their markers instead.
  default boolean takesSecrets() {
    return true;
  }

  /// Whether a call computes for long without waiting. Such calls run on platform threads. On
  /// virtual threads, which share a few carrier threads, they would delay all other calls.
  default boolean isCpuBound() {
    return false;
  }

  /// The same handler, declared CPU-bound.
  static EffectHandler cpuBound(EffectHandler handler) {
    return new CpuBound(handler);
  }

  /// A plain method. It gets the task's context with the payload laid over it.
  static EffectHandler of(EffectFunction function) {
    return call -> function.call(call.context().withAll(call.with()));
  }
}
