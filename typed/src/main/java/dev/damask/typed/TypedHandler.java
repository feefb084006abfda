package dev.damask.typed;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.TransactionalHandler;
import dev.damask.event.Failure;
import dev.damask.task.EffectFunction;
import dev.damask.task.ExpressionFailure;
import dev.damask.value.Context;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Calls the handler of a typed task: decodes its values and encodes its result.
///
/// @param result the key that receives the result; null drops it
/// @param except the simple names of exceptions after which the task is not tried again
record TypedHandler(
    TypedLeaf.Invocation invocation,
    @Nullable BoundKey<?> result,
    List<String> except,
    boolean isCpuBound)
    implements EffectHandler, EffectFunction {
  /// The handler of a `transaction`. An engine accepts it only on a store that joins transactions.
  ///
  /// @param result the key that receives the result; null drops it
  /// @param except the simple names of exceptions after which the task is not tried again
  record InTransaction(
      TypedLeaf.TransactionInvocation invocation, @Nullable BoundKey<?> result, List<String> except)
      implements TransactionalHandler, EffectFunction {
    @Override
    public @Nullable Object call(EffectCall call, AutoCloseable connection) throws Exception {
      Connection open = (Connection) connection;
      TypedLeaf.Invocation inside = (context, each) -> invocation.call(context, each, open);
      return new TypedHandler(inside, result, except, false).call(call);
    }

    @Override
    public @Nullable Object call(Context context) {
      throw new IllegalStateException("a transaction is called with an EffectCall");
    }
  }

  @Override
  public Context call(EffectCall call) throws Exception {
    Object value;
    try {
      value = invocation.call(call.context(), call);
    } catch (ExpressionFailure e) {
      throw new EffectException(Failure.EXPRESSION, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      throw named(e, except);
    }
    if (result == null) {
      return Context.empty();
    }
    try {
      return Context.of(result.entry(), result.encode(value));
    } catch (ValueException e) {
      throw new EffectException(
          Failure.EXPRESSION, "the result cannot be stored, " + e.getMessage());
    }
  }

  /// An exception that a retry excepts, with the simple name of its class as the reason; any other
  /// as it is.
  static Exception named(Exception thrown, List<String> except) {
    for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
      if (except.contains(type.getSimpleName())) {
        return new EffectException(
            type.getSimpleName(), String.valueOf(thrown.getMessage()), thrown);
      }
    }
    return thrown;
  }

  @Override
  public @Nullable Object call(Context context) {
    throw new IllegalStateException("a typed handler is called with an EffectCall");
  }
}
