package dev.damask.store.postgres;

import dev.damask.cluster.CaseChanges;
import dev.damask.ops.CaseEvent;
import dev.damask.sql.Columns;
import dev.damask.sql.SqlText;
import dev.damask.store.CaseStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// The changes of all cases of a cluster: table `changes`. Every commit writes its changes while
/// some server watches, so a cluster without servers pays one statement without rows. A cursor is a
/// transaction and a number in it, as for ended cases.
final class PostgresChanges implements CaseChanges {
  /// How long changes are kept, and written after the last server has watched.
  static final Duration KEPT = Duration.ofMinutes(10);

  private static final Duration START_MAX = Duration.ofSeconds(2);
  private static final Duration START_PAUSE = Duration.ofMillis(2);

  private static final String NOW = "(extract(epoch from clock_timestamp()) * 1000)::int8";

  private static final String ADD =
      "insert into @.changes (case_id, workflow, status, revision)"
          + " select u.case_id, u.workflow, u.status, u.revision"
          + " from unnest(?::text[], ?::text[], ?::int2[], ?::int8[])"
          + " as u (case_id, workflow, status, revision)"
          + " where exists (select 1 from @.watch w where w.until > "
          + NOW
          + ")";

  // After a pause some commits have written nothing, so older cursors end.
  private static final String WATCH =
      "update @.watch set since = case when until > "
          + NOW
          + " then since else pg_current_xact_id() end, since_number = case when until > "
          + NOW
          + " then since_number else 0 end, until = "
          + NOW
          + " + ? returning 1";

  private static final String TRIM =
      "with gone as (delete from @.changes where at < "
          + NOW
          + " - ? returning xid, number),"
          + " newest as (select xid, number from gone order by xid desc, number desc limit 1)"
          + " update @.watch w set since = n.xid, since_number = n.number from newest n"
          + " where (n.xid, n.number) > (w.since, w.since_number) returning 1";

  // Transactions that began before the watch may write nothing. The start is after all of them.
  private static final String START =
      "select pg_snapshot_xmin(pg_current_snapshot())::text || ' 0' from @.watch"
          + " where (since, since_number) <= (pg_snapshot_xmin(pg_current_snapshot()), 0)";

  private static final String SINCE = "select since::text || ' ' || since_number from @.watch";

  private static final String READ =
      "select c.xid::text, c.number, c.case_id, c.workflow, c.status, c.revision from @.changes c"
          + " where (c.xid, c.number) > (?::xid8, ?)"
          + " and c.xid < pg_snapshot_xmin(pg_current_snapshot())"
          + " order by c.xid, c.number limit ?";

  private static final String IS_KEPT =
      "select 1 from @.watch where (since, since_number) <= (?::xid8, ?)";

  private final Supplier<PostgresReads> reads;

  PostgresChanges(Supplier<PostgresReads> reads) {
    this.reads = reads;
  }

  /// Writes the changes of a commit, in its transaction.
  static void add(Connection connection, SqlText sql, RowChanges rows) throws SQLException {
    Columns columns = new Columns("text", "text", "int2", "int8");
    rows.heads.forEach((caseId, head) ->
        columns.add(
            caseId,
            head.record().workflow(),
            (short) head.record().status().number(),
            head.record().revision()));
    columns.run(connection, sql.of(ADD));
  }

  @Override
  public void watch() {
    reads.get().query(WATCH, _ -> true, KEPT.toMillis());
    reads.get().query(TRIM, _ -> true, KEPT.toMillis());
  }

  @Override
  public String start() {
    watch();
    long deadline = System.nanoTime() + START_MAX.toNanos();
    while (System.nanoTime() - deadline < 0 && !Thread.currentThread().isInterrupted()) {
      List<String> found = reads.get().query(START, row -> row.getString(1));
      if (!found.isEmpty()) {
        return found.getFirst();
      }
      LockSupport.parkNanos(START_PAUSE.toNanos());
    }
    return reads.get().query(SINCE, row -> row.getString(1)).getFirst();
  }

  @Override
  public int compare(String one, String other) {
    String[] left = PostgresReading.cursor(one, "changes");
    String[] right = PostgresReading.cursor(other, "changes");
    int byTransaction = Long.compareUnsigned(number(left[0]), number(right[0]));
    return byTransaction != 0 ? byTransaction : Long.compare(number(left[1]), number(right[1]));
  }

  private static long number(String digits) {
    return Long.parseUnsignedLong(digits);
  }

  @Override
  public Optional<List<Change>> after(String cursor, int limit) {
    String[] parts = PostgresReading.cursor(cursor, "changes");
    List<Change> found =
        reads
            .get()
            .query(
                READ,
                row ->
                    new Change(
                        row.getString(1) + " " + row.getLong(2),
                        new CaseEvent(
                            row.getString(3),
                            row.getString(4),
                            CaseStatus.byNumber().get(row.getShort(5)),
                            row.getLong(6))),
                parts[0],
                Long.parseLong(parts[1]),
                limit);
    // Compared after reading: what was removed in between is missing in the page.
    boolean isKept = !reads.get().query(IS_KEPT, _ -> true, parts[0], number(parts[1])).isEmpty();
    return isKept ? Optional.of(found) : Optional.empty();
  }
}
