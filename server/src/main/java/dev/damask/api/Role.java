package dev.damask.api;

import java.util.Locale;

/// What the holder of a token may do.
public enum Role {
  /// Reads workflows and cases, without secrets and without redacted values.
  VIEWER,
  /// Claims and answers tasks of given types.
  WORKER,
  /// Reads, sends signals, answers tasks, cancels cases and resolves incidents.
  OPERATOR,
  /// Everything: documents, migration, deletion, operations.
  ADMIN;

  /// Returns the word that token files and answers contain.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Returns the role with a word. Throws `IllegalArgumentException` if there is none.
  public static Role of(String word) {
    for (Role each : values()) {
      if (each.word().equals(word)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "role must be viewer, worker, operator or admin, got '" + word + "'");
  }
}
