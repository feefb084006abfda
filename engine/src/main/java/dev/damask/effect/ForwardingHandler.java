package dev.damask.effect;

import org.jspecify.annotations.Nullable;

/// A handler that wraps another one. Every method that is not overridden calls the wrapped handler.
public interface ForwardingHandler extends EffectHandler {
  /// Returns the wrapped handler.
  EffectHandler handler();

  @Override
  default @Nullable Object call(EffectCall call) throws Exception {
    return handler().call(call);
  }

  @Override
  default void cancel(EffectCall call) {
    handler().cancel(call);
  }

  @Override
  default void hand(EffectCall call, EffectResult result, Runnable report) {
    handler().hand(call, result, report);
  }

  @Override
  default boolean takesSecrets() {
    return handler().takesSecrets();
  }

  @Override
  default boolean isCpuBound() {
    return handler().isCpuBound();
  }
}
