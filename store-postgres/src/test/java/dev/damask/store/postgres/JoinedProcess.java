package dev.damask.store.postgres;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.TransactionalHandler;
import dev.damask.term.WorkflowDefinition;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;

/// A node in a process of its own whose handler inserts a row in the transaction of its case.
final class JoinedProcess {
  static final WorkflowDefinition PAYS = workflow("pays", effect("pay").exactlyOnce());

  private JoinedProcess() {}

  static TransactionalHandler handler(String schema) {
    return (call, given) -> {
      Connection connection = (Connection) given;
      try (PreparedStatement insert =
          connection.prepareStatement("insert into " + schema + ".paid values (?, ?)")) {
        insert.setString(1, call.caseId());
        insert.setInt(2, call.attempt());
        insert.executeUpdate();
      }
      return Map.of("paid", true);
    };
  }

  /// Runs a node until its standard input ends.
  public static void main(String[] arguments) throws IOException {
    PGSimpleDataSource server = new PGSimpleDataSource();
    server.setUrl(arguments[0]);
    PostgresOptions options =
        PostgresOptions.DEFAULT
            .withSchema(arguments[1])
            .withLease(Duration.ofMillis(Long.parseLong(arguments[2])));
    try (Engine _ =
        Engine.open(
            EngineOptions.defaults().withShards(1).withHandler("pay", handler(arguments[1])),
            PostgresCluster.of(server, options),
            PAYS)) {
      while (System.in.read() >= 0) {
        // until the test closes it
      }
    }
  }
}
