package dev.damask.store;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Which cases to list, in the order of status, start and id.
///
/// @param workflow null for every workflow
/// @param status null for every status
/// @param fromMillis started at or after
/// @param untilMillis started before
/// @param after the cursor of the page before; empty for the first page
/// @param limit at most this many, from 1 to [#LIMIT_MAX]
public record CaseQuery(
    @Nullable String workflow,
    @Nullable CaseStatus status,
    long fromMillis,
    long untilMillis,
    String after,
    int limit) {
  /// The largest page.
  public static final int LIMIT_MAX = 1_000;

  /// Every case, in pages of 100.
  public static final CaseQuery ALL =
      new CaseQuery(null, null, Long.MIN_VALUE, Long.MAX_VALUE, "", 100);

  public CaseQuery {
    if (limit < 1 || limit > LIMIT_MAX) {
      throw new IllegalArgumentException(
          "limit must be between 1 and " + LIMIT_MAX + ", got " + limit);
    }
  }

  /// Returns this query for one workflow.
  public CaseQuery withWorkflow(String name) {
    return new CaseQuery(name, status, fromMillis, untilMillis, after, limit);
  }

  /// Returns this query for one status.
  public CaseQuery withStatus(CaseStatus wanted) {
    return new CaseQuery(workflow, wanted, fromMillis, untilMillis, after, limit);
  }

  /// Returns this query for cases that started at or after one time and before another.
  public CaseQuery withStarted(long from, long until) {
    return new CaseQuery(workflow, status, from, until, after, limit);
  }

  /// Returns this query for the page after a cursor. Throws `IllegalArgumentException` unless the
  /// size is between 1 and [#LIMIT_MAX].
  public CaseQuery withPage(String cursor, int size) {
    return new CaseQuery(workflow, status, fromMillis, untilMillis, cursor, size);
  }

  /// Whether a case belongs to the answer, whatever the page.
  public Predicate<CaseRecord> filter() {
    return record ->
        (workflow == null || workflow.equals(record.workflow()))
            && (status == null || status == record.status())
            && record.startedMillis() >= fromMillis
            && record.startedMillis() < untilMillis;
  }

  /// Where a case stands in the order of a list.
  public static String cursor(CaseStatus status, long startedMillis, String caseId) {
    return "%d %016x %s".formatted(status.number(), startedMillis, caseId);
  }
}
