package dev.damask.store;

import org.jspecify.annotations.Nullable;

/// The rule every store keeps: revisions grow by one, epochs never shrink.
public final class Commits {
  private Commits() {}

  /// Refuses a commit that is stale.
  ///
  /// @param stored what the store has; null when the case is new
  public static void require(@Nullable CaseRecord stored, CaseRecord next, long epoch) {
    long revision = stored == null ? 0 : stored.revision();
    if (next.revision() != revision + 1) {
      throw new StoreException(
          "case %s: expected revision %d, got %d: another process has written it"
              .formatted(next.caseId(), revision + 1, next.revision()));
    }
    if (next.epoch() != epoch) {
      throw new StoreException(
          "case %s: expected epoch %d, got %d: this engine no longer owns the store"
              .formatted(next.caseId(), epoch, next.epoch()));
    }
  }
}
