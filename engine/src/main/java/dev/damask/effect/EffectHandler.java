package dev.damask.effect;

import dev.damask.task.EffectFunction;
import org.jspecify.annotations.Nullable;

/// The port to the outside: performs the effects of one type.
///
/// It runs on a virtual thread, may block, and is interrupted when its task is withdrawn. A map, a
/// record or a context it returns is written into the task's context; null writes nothing; any
/// other value is written under the task's name. What it throws fails the attempt, [EffectFailed]
/// with a reason of its own.
@FunctionalInterface
public interface EffectHandler {
  @Nullable Object call(EffectCall call) throws Exception;

  /// Called after the interrupt when a call is withdrawn, to tell the other side.
  default void cancel(EffectCall call) {}

  /// Whether secrets are filled in at the call. One that writes down what it gets takes none, and
  /// sees their markers instead.
  default boolean takesSecrets() {
    return true;
  }

  /// A plain method. It gets the task's context with the payload laid over it.
  static EffectHandler of(EffectFunction function) {
    return call -> function.call(call.context().withAll(call.with()));
  }
}
