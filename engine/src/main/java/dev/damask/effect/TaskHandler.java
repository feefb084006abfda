package dev.damask.effect;

import dev.damask.task.EffectFunction;
import dev.damask.value.Context;
import org.jspecify.annotations.Nullable;

/// A handler that belongs to one task of a workflow and receives the whole call.
record TaskHandler(EffectHandler handler) implements EffectHandler, EffectFunction {
  @Override
  public @Nullable Object call(EffectCall call) throws Exception {
    return handler.call(call);
  }

  @Override
  public @Nullable Object call(Context context) {
    throw new IllegalStateException("this handler is called with an EffectCall");
  }

  @Override
  public void cancel(EffectCall call) {
    handler.cancel(call);
  }

  @Override
  public boolean takesSecrets() {
    return handler.takesSecrets();
  }

  @Override
  public boolean isCpuBound() {
    return handler.isCpuBound();
  }
}
