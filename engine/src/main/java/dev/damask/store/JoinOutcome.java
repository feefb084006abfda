package dev.damask.store;

/// How a commit in the transaction of a handler ended.
public sealed interface JoinOutcome {
  /// The handler's changes and the case's revision are durable.
  record Done() implements JoinOutcome {}

  /// The database refused the transaction, for example because of a deferred constraint: nothing
  /// has happened, and the attempt has failed.
  record Failed(String detail) implements JoinOutcome {}

  /// The database was lost and nothing has happened; the handler is called again.
  record Again(String detail) implements JoinOutcome {}
}
