package dev.damask.cases;

import java.util.List;

/// What became of moving a case to another version of its workflow.
public sealed interface MigrationResult {
  /// It goes on in the new version.
  record Moved() implements MigrationResult {}

  /// It stays where it is, and nothing was changed.
  ///
  /// @param reasons one sentence each
  record Refused(List<String> reasons) implements MigrationResult {
    public Refused {
      reasons = List.copyOf(reasons);
    }
  }
}
