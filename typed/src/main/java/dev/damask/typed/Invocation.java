package dev.damask.typed;

import dev.damask.effect.EffectCall;
import dev.damask.value.Context;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/// Reads the values of a handler and calls it.
@FunctionalInterface
interface Invocation {
  @Nullable Object call(Context context, EffectCall call) throws Exception;

  /// Calls a handler that returns nothing.
  @FunctionalInterface
  interface OfAction {
    void call(Context context, EffectCall call) throws Exception;
  }

  /// Calls a handler in a transaction.
  @FunctionalInterface
  interface OfTransaction {
    @Nullable Object call(Context context, EffectCall call, Connection connection) throws Exception;
  }
}
