package dev.damask.effect;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// Surrounds every handler that works in a transaction of the store, so that a framework uses the
/// transaction's connection for what the handler calls.
@FunctionalInterface
public interface TransactionScope {
  /// Calls the handler and nothing else.
  TransactionScope NONE = (_, handler) -> handler.call();

  /// Calls the handler once, in this thread, and returns its result. An exception, of the handler
  /// or of the scope, fails the attempt and rolls the transaction back.
  ///
  /// @param connection the connection that the handler gets; it refuses to end the transaction
  @Nullable Object call(AutoCloseable connection, Callable<@Nullable Object> handler)
      throws Exception;
}
