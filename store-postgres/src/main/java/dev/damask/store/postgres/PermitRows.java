package dev.damask.store.postgres;

import dev.damask.cluster.PermitShares;
import dev.damask.effect.PermitAnswer;
import dev.damask.effect.PermitNeed;
import dev.damask.effect.RateNeed;
import dev.damask.sql.Columns;
import dev.damask.sql.CommitOutcome;
import dev.damask.sql.SqlText;
import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Limits of effects that all nodes share, in tables `permits` and `permit_uses`. A session that
/// changes what is borrowed of a limit holds the lock of its row. The transactions have the fence,
/// so that a node borrows nothing after its permits have returned.
final class PermitRows {
  private static final String RATE = "/rate";

  private static final String LOCK =
      "insert into @.permit_limits as l (type, key) select x.type, x.key"
          + " from unnest(?, ?) x(type, key) order by x.type, x.key"
          + " on conflict (type, key) do update set type = excluded.type";

  private static final String BORROWERS =
      "select p.type, p.key, p.node, p.held, p.needed, p.rank from @.permits p"
          + " join unnest(?, ?) x(type, key) on p.type = x.type and p.key = x.key"
          + " where p.node <> ?";

  private static final String DELETE =
      "delete from @.permits p using unnest(?, ?) x(type, key)"
          + " where p.type = x.type and p.key = x.key and p.node = ?";

  private static final String INSERT =
      "insert into @.permits (type, key, node, held, needed, rank)"
          + " select x.type, x.key, x.node, x.held, x.needed, x.rank"
          + " from unnest(?, ?, ?, ?, ?, ?) x(type, key, node, held, needed, rank)";

  private static final String FORGET =
      "delete from @.permit_limits l using unnest(?, ?) x(type, key)"
          + " where l.type = x.type and l.key = x.key and not exists"
          + " (select 1 from @.permits p where p.type = l.type and p.key = l.key)";

  private record Limit(String type, String key) {
    static Limit of(PermitNeed need) {
      return new Limit(need.type(), need.key());
    }
  }

  private final PostgresNode node;
  private final SqlText sql;

  PermitRows(PostgresNode node, SqlText sql) {
    this.node = node;
    this.sql = sql;
  }

  /// Answers all needs in one transaction.
  List<PermitAnswer> borrow(List<PermitNeed> needs) {
    return run(connection -> {
      lock(connection, needs);
      Map<Limit, List<PermitShares.Borrower>> others = borrowers(connection, needs);
      List<PermitAnswer> answers = new ArrayList<>();
      for (PermitNeed need : needs) {
        List<PermitShares.Borrower> all = others.getOrDefault(Limit.of(need), new ArrayList<>());
        all.add(new PermitShares.Borrower(node.id(), 0, need.needed(), need.rank()));
        int held = PermitShares.held(node.id(), need.inUse(), need.limit(), all);
        int share = PermitShares.share(node.id(), need.limit(), all);
        answers.add(new PermitAnswer(Math.min(share, held), held));
      }
      write(connection, needs, answers);
      return answers;
    });
  }

  int begin(RateNeed need) {
    return run(connection -> {
      Columns limits = limits();
      limits.add(need.type(), RATE);
      limits.run(connection, sql.of(LOCK));
      long now = PostgresNode.databaseMillis(connection);
      long since = now - need.period().toMillis() - need.validity().toMillis();
      change(
          connection,
          "delete from @.permit_uses where type = ? and at_millis <= ?",
          need.type(),
          since);
      int used = 0;
      try (PreparedStatement query =
          connection.prepareStatement(sql.of("select calls from @.permit_uses where type = ?"))) {
        query.setString(1, need.type());
        try (ResultSet rows = query.executeQuery()) {
          while (rows.next()) {
            used += rows.getInt(1);
          }
        }
      }
      int allowed = Math.max(0, Math.min(need.wanted(), need.calls() - used));
      if (allowed > 0) {
        change(
            connection,
            "insert into @.permit_uses (type, at_millis, calls) values (?, ?, ?)",
            need.type(),
            now,
            allowed);
      }
      return allowed;
    });
  }

  private <T> T run(FencedCommit.SqlFunction<T> work) {
    AtomicReference<@Nullable T> result = new AtomicReference<>();
    try (Connection connection = node.connections().take()) {
      CommitOutcome outcome =
          node.commit(
              connection,
              node.epoch(),
              c -> {
                result.set(work.apply(c));
                return 0;
              });
      if (outcome instanceof CommitOutcome.Done) {
        return Objects.requireNonNull(result.get());
      }
    } catch (SQLException e) {
      throw PostgresErrors.failure("schema " + sql.schema() + ": no permits can be borrowed", e);
    }
    throw new StoreException("no permits can be borrowed at the moment; try again");
  }

  private static Columns limits() {
    return new Columns("text", "text");
  }

  private static Columns limits(List<PermitNeed> needs) {
    Columns limits = limits();
    needs.forEach(need -> limits.add(need.type(), need.key()));
    return limits;
  }

  /// Locks the rows of limits in one order, and adds those that are missing. A row that another
  /// session deletes meanwhile is added again.
  private void lock(Connection connection, List<PermitNeed> needs) throws SQLException {
    limits(needs).run(connection, sql.of(LOCK));
  }

  /// What the other nodes have borrowed.
  private Map<Limit, List<PermitShares.Borrower>> borrowers(
      Connection connection, List<PermitNeed> needs) throws SQLException {
    Map<Limit, List<PermitShares.Borrower>> found = new HashMap<>();
    try (PreparedStatement query = connection.prepareStatement(sql.of(BORROWERS))) {
      limits(needs).set(connection, query);
      query.setInt(3, node.id());
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          found
              .computeIfAbsent(
                  new Limit(rows.getString(1), rows.getString(2)), _ -> new ArrayList<>())
              .add(
                  new PermitShares.Borrower(
                      rows.getInt(3), rows.getInt(4), rows.getInt(5), rows.getLong(6)));
        }
      }
    }
    return found;
  }

  private void write(Connection connection, List<PermitNeed> needs, List<PermitAnswer> answers)
      throws SQLException {
    try (PreparedStatement delete = connection.prepareStatement(sql.of(DELETE))) {
      limits(needs).set(connection, delete);
      delete.setInt(3, node.id());
      delete.executeUpdate();
    }
    Columns rows = new Columns("text", "text", "int4", "int4", "int4", "int8");
    for (int i = 0; i < needs.size(); i++) {
      PermitNeed need = needs.get(i);
      int held = answers.get(i).held();
      if (held > 0 || need.needed() > 0) {
        rows.add(need.type(), need.key(), node.id(), held, need.needed(), need.rank());
      }
    }
    rows.run(connection, sql.of(INSERT));
    limits(needs).run(connection, sql.of(FORGET));
  }

  private void change(Connection connection, String text, Object... values) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql.of(text))) {
      for (int i = 0; i < values.length; i++) {
        update.setObject(i + 1, values[i]);
      }
      update.executeUpdate();
    }
  }
}
