package dev.damask.store.postgres;

import dev.damask.store.StoreException;
import java.sql.SQLException;

/// A commit whose predecessor is not the stored revision. Its transaction is rolled back.
final class StaleRevision extends SQLException {
  private static final long serialVersionUID = 1L;

  /// A state that no server reports, so that nothing takes it for a transient failure.
  private static final String STATE = "D0001";

  private final StoreException sentence;

  StaleRevision(StoreException sentence) {
    super(sentence.getMessage(), STATE);
    this.sentence = sentence;
  }

  StoreException sentence() {
    return sentence;
  }
}
