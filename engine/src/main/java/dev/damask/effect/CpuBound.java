package dev.damask.effect;

import org.jspecify.annotations.Nullable;

/// A handler whose calls run on platform threads.
record CpuBound(EffectHandler handler) implements EffectHandler {
  @Override
  public @Nullable Object call(EffectCall call) throws Exception {
    return handler.call(call);
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
    return true;
  }
}
