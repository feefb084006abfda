package dev.damask.sql;

import java.sql.SQLException;

/// How a commit transaction ended.
public sealed interface CommitOutcome {
  /// It is durable.
  record Done() implements CommitOutcome {}

  /// The fence refused it; nothing has happened.
  record Refused() implements CommitOutcome {}

  /// It was rolled back.
  ///
  /// @param isTransient whether the same transaction may succeed when it is repeated
  record Failed(SQLException error, boolean isTransient) implements CommitOutcome {}

  /// The connection or the session ended during COMMIT: it may have happened, and it may still
  /// happen until the node's lock has been held exclusively.
  record InDoubt(SQLException error) implements CommitOutcome {}
}
