package dev.damask.effect;

/// A transaction of the store that one handler works in. It becomes durable together with the next
/// revision of the handler's case, or not at all.
///
/// One thread uses it at a time. [#abort] may be called by any thread.
public interface EffectTransaction {
  /// Returns the connection for the handler. It cannot commit, roll back or leave the transaction,
  /// and it is of no use after [#finish].
  AutoCloseable connection();

  /// Ends the handler's part: checks deferred constraints and takes the connection away from the
  /// handler. Throws if a constraint is violated; then the caller rolls back.
  void finish() throws Exception;

  /// Undoes everything and releases the connection. Does nothing if the transaction has ended.
  void rollback();

  /// Breaks the connection, so that a handler that waits for the database ends and the server
  /// releases the rows that the transaction has locked.
  void abort();

  /// Returns whether the database was lost, so that nothing of the transaction has happened and the
  /// handler may be called again.
  boolean isLost();
}
