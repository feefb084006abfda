package dev.damask.effect;

import dev.damask.task.EffectFunction;
import dev.damask.value.Context;
import org.jspecify.annotations.Nullable;

/// A handler that belongs to one task of a workflow and receives the whole call.
record TaskHandler(EffectHandler handler) implements ForwardingHandler, EffectFunction {
  @Override
  public @Nullable Object call(Context context) {
    throw new IllegalStateException("this handler is called with an EffectCall");
  }
}
