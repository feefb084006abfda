package dev.damask.effect;

import org.jspecify.annotations.Nullable;

/// A handler that runs inside the transaction that commits its case. An engine refuses workflows
/// with such a handler if its store joins no transactions.
public interface TransactionalHandler extends EffectHandler {
  /// Performs the effect with the connection of the transaction, such as a `java.sql.Connection`.
  /// It must not commit, roll back or close the connection.
  @Nullable Object call(EffectCall call, AutoCloseable connection) throws Exception;

  @Override
  default @Nullable Object call(EffectCall call) throws Exception {
    throw new IllegalStateException(call + " is a transaction and needs the store's connection");
  }
}
