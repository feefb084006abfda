package dev.damask.typed;

import dev.damask.effect.EffectCall;
import dev.damask.effect.TransactionalHandler;
import dev.damask.task.EffectFunction;
import dev.damask.value.Context;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/// The handler of a `transaction`. An engine accepts it only on a store that joins transactions.
record TransactionHandler(TypedHandler handler) implements TransactionalHandler, EffectFunction {
  @Override
  public @Nullable Object call(EffectCall call) throws Exception {
    return handler.call(call);
  }

  @Override
  public @Nullable Object call(Context context) {
    return handler.call(context);
  }

  /// The connection of the store's transaction around this call.
  static Connection connection() {
    throw new IllegalStateException("the store joins no transactions");
  }
}
