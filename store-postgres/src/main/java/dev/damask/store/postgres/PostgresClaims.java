package dev.damask.store.postgres;

import dev.damask.ops.TaskClaim;
import dev.damask.ops.TaskClaims;
import dev.damask.sql.Columns;
import dev.damask.sql.SqlText;
import dev.damask.store.RowChange;
import dev.damask.task.EffectId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The claims of a cluster: table `claims`. Every node makes claims; the owner of a case removes
/// them when its tasks end.
final class PostgresClaims implements TaskClaims {
  private static final String COLUMNS =
      "case_id, effect, claim, worker, type, attempt, once, claimed, until";
  private static final String SELECT = "select " + COLUMNS + " from @.claims ";

  // A claim whose lease has ended is replaced, except that of an at-most-once task.
  private static final String TAKE =
      "insert into @.claims as c ("
          + COLUMNS
          + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (case_id, effect) do update set"
          + " claim = excluded.claim, worker = excluded.worker, attempt = excluded.attempt,"
          + " claimed = excluded.claimed, until = excluded.until, once = excluded.once"
          + " where c.until <= ? and not c.once returning 1";

  private final Supplier<PostgresReads> reads;

  PostgresClaims(Supplier<PostgresReads> reads) {
    this.reads = reads;
  }

  @Override
  public List<TaskClaim> take(List<TaskClaim> wanted, long now) {
    List<TaskClaim> taken = new ArrayList<>();
    for (TaskClaim each : wanted) {
      boolean isTaken =
          !reads
              .get()
              .query(
                  TAKE,
                  _ -> true,
                  each.caseId(),
                  each.effect().lineage(),
                  each.id(),
                  each.worker(),
                  each.type(),
                  each.attempt(),
                  each.isOnce(),
                  each.claimedMillis(),
                  each.untilMillis(),
                  now)
              .isEmpty();
      if (isTaken) {
        taken.add(each);
      }
    }
    return taken;
  }

  private static TaskClaim claim(ResultSet row) throws SQLException {
    return new TaskClaim(
        row.getString(1),
        new EffectId(row.getLong(2)),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getInt(6),
        row.getBoolean(7),
        row.getLong(8),
        row.getLong(9));
  }

  @Override
  public Optional<TaskClaim> find(String caseId, EffectId effect) {
    return reads
        .get()
        .query(
            SELECT + "where case_id = ? and effect = ?",
            PostgresClaims::claim,
            caseId,
            effect.lineage())
        .stream()
        .findFirst();
  }

  @Override
  public boolean extend(TaskClaim claim, long untilMillis, long now) {
    return !reads
        .get()
        .query(
            "update @.claims set until = ? where case_id = ? and effect = ? and claim = ?"
                + " and until > ? returning 1",
            _ -> true,
            untilMillis,
            claim.caseId(),
            claim.effect().lineage(),
            claim.id(),
            now)
        .isEmpty();
  }

  @Override
  public boolean remove(TaskClaim claim) {
    return !reads
        .get()
        .query(
            "delete from @.claims where case_id = ? and effect = ? and claim = ? returning 1",
            _ -> true,
            claim.caseId(),
            claim.effect().lineage(),
            claim.id())
        .isEmpty();
  }

  @Override
  public List<TaskClaim> list(@Nullable TaskClaim after, int limit) {
    return reads
        .get()
        .query(
            SELECT + "where (case_id, effect) > (?, ?) order by case_id, effect limit ?",
            PostgresClaims::claim,
            after == null ? "" : after.caseId(),
            after == null ? Long.MIN_VALUE : after.effect().lineage(),
            limit);
  }

  @Override
  public List<TaskClaim> expired(long now, int limit) {
    return reads
        .get()
        .query(
            SELECT + "where until <= ? order by until limit ?", PostgresClaims::claim, now, limit);
  }

  /// Removes the claims of tasks that end, in the transaction of a commit.
  static void ended(Connection connection, SqlText sql, Collection<RowChange> changes)
      throws SQLException {
    Columns gone = new Columns("text", "int8");
    for (RowChange change : changes) {
      if (change instanceof RowChange.Remove(var row) && row.kind().equals(TaskClaim.KIND)) {
        int end = row.key().lastIndexOf('/');
        gone.add(
            row.key().substring(0, end),
            HexFormat.fromHexDigitsToLong(row.key().substring(end + 1)));
      }
    }
    gone.run(
        connection,
        sql.of(
            "delete from @.claims c using unnest(?::text[], ?::int8[]) as u (case_id, effect)"
                + " where c.case_id = u.case_id and c.effect = u.effect"));
  }
}
