package dev.damask.typed;

import dev.damask.effect.EffectCall;
import dev.damask.effect.TransactionalHandler;
import dev.damask.task.EffectFunction;
import dev.damask.task.ResultCheck;
import dev.damask.value.Context;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The handler of a `transaction`. An engine accepts it only on a store that joins transactions.
///
/// @param result the key that receives the result; null drops it
/// @param except the simple names of exceptions after which the task is not tried again
record TransactionHandler(
    Invocation.OfTransaction invocation, @Nullable BoundKey<?> result, List<String> except)
    implements TransactionalHandler, EffectFunction, ResultCheck {
  @Override
  public @Nullable Object call(EffectCall call, AutoCloseable connection) throws Exception {
    Connection open = (Connection) connection;
    Invocation inside = (context, each) -> invocation.call(context, each, open);
    return new TypedHandler(inside, result, except, false).call(call);
  }

  @Override
  public List<String> problems(Context given) {
    return result == null ? List.of() : result.problems(given);
  }

  @Override
  public @Nullable Object call(Context context) {
    throw new IllegalStateException("a transaction is called with an EffectCall");
  }
}
