package dev.damask.ops;

import dev.damask.caller.Actor;
import dev.damask.store.AuditEntry;
import dev.damask.store.AuditRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

/// Who did what to which case. Calls within `Engine.as` write their entries in the commit that
/// makes the change. Entries are never changed; only [#removeBefore] removes them.
public final class AuditLog {
  /// How many entries a page has at most.
  public static final int LIMIT_MAX = 1_000;

  private final Store store;
  private final LongSupplier clock;

  public AuditLog(Store store, LongSupplier clock) {
    this.store = store;
    this.clock = clock;
  }

  /// Returns the entries after a cursor, the oldest first. Throws `IllegalArgumentException` if
  /// `after` is not a cursor of this store or `limit` is not between 1 and [#LIMIT_MAX].
  ///
  /// @param after the cursor of the last entry that the caller has seen; empty for the first page
  public List<AuditRecord> list(String after, int limit) {
    if (limit < 1 || limit > LIMIT_MAX) {
      throw new IllegalArgumentException(
          "limit must be between 1 and %d, got %d".formatted(LIMIT_MAX, limit));
    }
    return store.audit(after, limit);
  }

  /// Removes entries that are older than a time, the oldest first, and returns how many. Durable
  /// when it returns. Throws `IllegalArgumentException` if `limit` is not between 1 and
  /// [#LIMIT_MAX].
  public int removeBefore(Instant time, int limit) {
    if (limit < 1 || limit > LIMIT_MAX) {
      throw new IllegalArgumentException(
          "limit must be between 1 and %d, got %d".formatted(LIMIT_MAX, limit));
    }
    return store.trimAudit(time.toEpochMilli(), limit);
  }

  /// Writes an entry for an action without its own commit, such as a refusal, an export or a read.
  /// Durable when it returns.
  ///
  /// @param caseId empty if it is about no case
  public void add(Actor actor, String action, String caseId, String outcome) {
    AuditEntry entry =
        new AuditEntry(
            clock.getAsLong(), actor.name(), action, caseId, "", outcome, actor.reason());
    try {
      store.commit(CommitBatch.ofAudit(List.of(entry))).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : e;
    }
  }
}
