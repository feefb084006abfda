package dev.damask.effect;

import dev.damask.task.EffectFunction;
import org.jspecify.annotations.Nullable;

/// The port to external systems: performs the effects of one type.
///
/// It runs on a virtual thread unless it is declared CPU-bound ([#isCpuBound]), may block, and is
/// interrupted when its task is cancelled. A map, a record or a context it returns is written into
/// the task's context; null writes nothing; any other value is written under the task's name. What
/// it throws fails the attempt: [EffectException] with its own reason, [EffectNotSent] with
/// `not_sent`, anything else with `exception`. The outcome of an at-most-once effect is unknown
/// after anything else, and after the reason `timeout`.
@FunctionalInterface
public interface EffectHandler {
  /// Performs one effect and returns its result.
  @Nullable Object call(EffectCall call) throws Exception;

  /// Called after the interrupt when a call is cancelled, to notify the external system.
  default void cancel(EffectCall call) {}

  /// Hands the result of a call to its case by running `report`, which must happen once before this
  /// method returns.
  default void hand(EffectCall call, EffectResult result, Runnable report) {
    report.run();
  }

  /// Returns whether secrets are filled in at the call. A handler that writes its payload down
  /// returns false and receives their markers instead.
  default boolean takesSecrets() {
    return true;
  }

  /// Returns whether a call computes for long without waiting. Such calls run on platform threads.
  /// On virtual threads, which share a few carrier threads, they would delay all other calls.
  default boolean isCpuBound() {
    return false;
  }

  /// Returns the same handler, declared CPU-bound.
  static EffectHandler cpuBound(EffectHandler handler) {
    return new CpuBound(handler);
  }

  /// The handler of one task that needs its [EffectCall], such as the idempotency key:
  /// `effect("charge", withCall(call -> bank.charge(call.key())))`.
  static EffectFunction withCall(EffectHandler handler) {
    return new TaskHandler(handler);
  }

  /// Returns a handler for a plain method. The method receives the task's context merged with the
  /// payload, which overrides existing keys.
  static EffectHandler of(EffectFunction function) {
    return function instanceof EffectHandler handler
        ? handler
        : call -> function.call(call.context().withAll(call.with()));
  }
}
