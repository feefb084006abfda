package dev.damask.typed;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Performs a step of a script; an exception that its retry excepts fails with its own name.
///
/// @param except the simple names of exceptions after which the step is not tried again
record ExceptedHandler(EffectHandler handler, List<String> except) implements EffectHandler {
  @Override
  public @Nullable Object call(EffectCall call) throws Exception {
    try {
      return handler.call(call);
    } catch (InterruptedException | EffectException e) {
      throw e;
    } catch (Exception e) {
      for (Class<?> type = e.getClass(); type != null; type = type.getSuperclass()) {
        if (except.contains(type.getSimpleName())) {
          EffectException named =
              new EffectException(type.getSimpleName(), String.valueOf(e.getMessage()));
          named.initCause(e);
          throw named;
        }
      }
      throw e;
    }
  }
}
