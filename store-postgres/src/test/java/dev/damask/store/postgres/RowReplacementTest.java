package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.damask.sql.ClusterIdentity;
import dev.damask.sql.NodeConnections;
import dev.damask.sql.SqlText;
import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Changes of a row that every node may change, while the connection breaks.
@Timeout(60)
final class RowReplacementTest {
  private static final int MESSAGES = 45;

  private static TableRow row(int value) {
    return new TableRow("schedule", "nightly", 0, Bytes.of((byte) value));
  }

  @ParameterizedTest
  @EnumSource
  void a_change_is_its_own_at_whatever_message_the_connection_breaks(TcpProxy.Cut cut)
      throws SQLException {
    PostgresOptions options = TestServer.schema();
    SqlText sql = new SqlText(options.schema());
    String role = TestServer.query("select current_user").getFirst();
    int cuts = 0;
    try (TcpProxy proxy = new TcpProxy(TestServer.host(), TestServer.port());
        HikariDataSource pool = pool(proxy)) {
      NodeConnections connections = new NodeConnections(pool, sql, identity(sql), role, 0);
      RowReplacement replacement =
          new RowReplacement(connections, sql, Duration.ofSeconds(20), () -> true);
      RowReplacement.Name name = new RowReplacement.Name("schedule", "nightly", 0);
      Optional<TableRow> before = Optional.empty();
      for (int message = 0; message < MESSAGES; message++) {
        TableRow next = row(message);
        proxy.cutAt(message, cut);

        replacement.run(name, before, List.of(new RowChange.Put(next)));

        cuts += proxy.hasCut() ? 1 : 0;
        proxy.cutAt(-1, cut);
        before = Optional.of(next);
        try (Connection connection = connections.take()) {
          assertThat(PostgresTable.find(connection, sql, name)).isEqualTo(before);
        }
      }
    }
    assertThat(cuts).isGreaterThan(3);
  }

  private static ClusterIdentity identity(SqlText sql) throws SQLException {
    try (Connection connection = TestServer.source().getConnection()) {
      return PostgresSchema.require(connection, sql);
    }
  }

  private static HikariDataSource pool(TcpProxy proxy) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(TestServer.through("localhost", proxy.port()));
    config.setMaximumPoolSize(2);
    config.setMinimumIdle(0);
    return new HikariDataSource(config);
  }
}
