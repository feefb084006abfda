package dev.damask.store.postgres;

import dev.damask.cluster.ClusterProvider;
import dev.damask.cluster.SharedStore;
import dev.damask.sql.SqlText;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// Clusters that a URL names, as the command line uses them.
public final class PostgresClusters implements ClusterProvider {
  private static final long PAUSE_MILLIS = 100;

  /// A person waits.
  private static final Duration REPLY_TIME = Duration.ofSeconds(10);

  /// Found through `ServiceLoader`.
  public PostgresClusters() {}

  /// Reads one row.
  @FunctionalInterface
  private interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  @Override
  public boolean accepts(String url) {
    return PostgresUrl.isUrl(url);
  }

  @Override
  public String shown(String url) {
    return PostgresUrl.parse(url).toString();
  }

  @Override
  public SharedStore client(String url) {
    PostgresUrl parsed = PostgresUrl.parse(url);
    return named(
        parsed,
        () ->
            PostgresCluster.of(parsed.source(), parsed.options().withReplyTime(REPLY_TIME))
                .asClient()
                .join());
  }

  @Override
  public SharedStore nodeIfAlone(String url) {
    PostgresUrl parsed = PostgresUrl.parse(url);
    PostgresCluster cluster = PostgresCluster.of(parsed.source(), parsed.options());
    return named(parsed, () -> (isAlive(url) ? cluster.asClient() : cluster).join());
  }

  @Override
  public Store alone(String url) {
    PostgresUrl parsed = PostgresUrl.parse(url);
    return named(parsed, () -> PostgresStore.open(parsed.source(), parsed.options()));
  }

  /// Returns whether a node raises its counter. A node that died looks alive for a third of a
  /// lease.
  private boolean isAlive(String url) {
    Map<Integer, Long> first = counters(url);
    long end =
        System.nanoTime()
            + PostgresUrl.parse(url).options().lease().toNanos() / 3
            + TimeUnit.MILLISECONDS.toNanos(5 * PAUSE_MILLIS);
    while (!first.isEmpty() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
      Map<Integer, Long> now = counters(url);
      if (now.entrySet().stream()
          .anyMatch(each -> !each.getValue().equals(first.get(each.getKey())))) {
        return true;
      }
    }
    return false;
  }

  private Map<Integer, Long> counters(String url) {
    Map<Integer, Long> counters = new HashMap<>();
    for (NodeView node : nodes(url)) {
      if (!node.isFenced()) {
        counters.put(node.id(), node.heartbeat());
      }
    }
    return counters;
  }

  @Override
  public boolean init(String url) {
    PostgresUrl parsed = PostgresUrl.parse(url);
    return named(parsed, () -> new PostgresSchema(parsed.source(), parsed.options()).init());
  }

  @Override
  public boolean upgrade(String url) {
    PostgresUrl parsed = PostgresUrl.parse(url);
    return named(parsed, () -> new PostgresSchema(parsed.source(), parsed.options()).upgrade());
  }

  @Override
  public void finish(String url) {
    PostgresUrl parsed = PostgresUrl.parse(url);
    named(
        parsed,
        () -> {
          new PostgresSchema(parsed.source(), parsed.options()).finish();
          return true;
        });
  }

  @Override
  public List<Finding> doctor(String url) {
    PostgresUrl parsed = PostgresUrl.parse(url);
    return new PostgresDoctor(parsed.source(), parsed.options())
        .run().stream().map(each -> new Finding(each.check(), each.problem())).toList();
  }

  @Override
  public List<NodeView> nodes(String url) {
    return query(
        url,
        "select id, epoch, coalesce(heartbeat, -1), slots, inbox, fenced, address from @.nodes"
            + " order by id",
        row ->
            new NodeView(
                row.getInt(1),
                row.getLong(2),
                row.getLong(3),
                row.getLong(4),
                row.getLong(5),
                row.getBoolean(6),
                row.getString(7)));
  }

  @Override
  public List<String> missing(String url) {
    return query(
        url,
        "select 'program missing on node ' || node || ': ' || cases"
            + " || case cases when 1 then ' case of workflow ' else ' cases of workflow ' end"
            + " || workflow || case cases when 1 then ' waits' else ' wait' end"
            + " || ' for its program ' || program from @.missing_programs"
            + " order by node, workflow, program limit 100",
        row -> row.getString(1));
  }

  @Override
  public List<String> held(String url) {
    return query(
        url,
        "select 'case ' || case_id || ': ' || kind || ' ' || name || ' waits: ' || held"
            + " from @.held_messages order by sent limit 100",
        row -> row.getString(1));
  }

  private static <T> List<T> query(String url, String statement, Row<T> row) {
    PostgresUrl parsed = PostgresUrl.parse(url);
    SqlText sql = new SqlText(parsed.options().schema());
    return named(
        parsed,
        () -> {
          try (Connection connection = parsed.source().getConnection()) {
            PostgresSchema.require(connection, sql);
            List<T> found = new ArrayList<>();
            try (Statement query = connection.createStatement();
                ResultSet rows = query.executeQuery(sql.of(statement))) {
              while (rows.next()) {
                found.add(row.read(rows));
              }
            }
            return found;
          } catch (SQLException e) {
            throw PostgresErrors.failure("schema " + sql.schema() + ": cannot read", e);
          }
        });
  }

  /// Begins messages with the URL, without user and password.
  private static <T> T named(PostgresUrl url, Supplier<T> work) {
    try {
      return work.get();
    } catch (StoreException e) {
      String message = String.valueOf(e.getMessage());
      throw message.startsWith(url + ": ") ? e : new StoreException(url + ": " + message, e);
    }
  }
}
