package dev.damask.caller;

import java.util.List;

/// What became of moving a case to another version of its workflow.
public sealed interface MigrationResult {
  /// The durable revision of the case that contains the move; the last one if it was refused.
  long revision();

  /// The same result with the revision that became durable.
  default MigrationResult at(long revision) {
    return switch (this) {
      case Moved _ -> new Moved(revision);
      case Refused(var reasons, _) -> new Refused(reasons, revision);
    };
  }

  /// The case continues in the new version.
  record Moved(long revision) implements MigrationResult {}

  /// It stays where it is, and nothing was changed.
  ///
  /// @param reasons one sentence each
  record Refused(List<String> reasons, long revision) implements MigrationResult {
    public Refused {
      reasons = List.copyOf(reasons);
    }
  }
}
