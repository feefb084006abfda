package dev.damask.store.postgres;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.exponential;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.EffectCall;
import dev.damask.task.Delivery;
import dev.damask.term.WorkflowDefinition;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/// A node in a process of its own, until its standard input ends.
final class NodeProcess {
  /// Both kinds wait for a signal and then call an effect that writes a row.
  static final List<WorkflowDefinition> WORKFLOWS =
      List.of(waiting("keyed", Delivery.KEYED), waiting("once", Delivery.AT_MOST_ONCE));

  /// Calls an effect that takes a while, and one that ends the process.
  static final WorkflowDefinition SLOW = workflow("slow", effect("wait"));

  static final WorkflowDefinition SLOW_ONCE =
      workflow(
          "slowOnce",
          defer(
              on("go", effect("wait").delivery(Delivery.AT_MOST_ONCE)),
              after(Duration.ofDays(2), skip())));

  static final WorkflowDefinition POISON = workflow("poison", effect("halt"));

  private NodeProcess() {}

  /// A keyed effect is tried again while the database is away.
  private static WorkflowDefinition waiting(String name, Delivery delivery) {
    var pay = effect("pay").delivery(delivery);
    return workflow(
        name,
        defer(
            on("go", delivery == Delivery.KEYED ? pay.retry(exponential(20)) : pay),
            after(Duration.ofDays(2), skip())));
  }

  /// Starts a process.
  static Process start(PostgresOptions options, String url) {
    try {
      return start(NodeProcess.class, options, url);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Starts a process of another main class with the same arguments.
  static Process start(Class<?> main, PostgresOptions options, String url) throws IOException {
    String classes =
        System.getProperty("java.class.path", "")
            + File.pathSeparator
            + System.getProperty("jdk.module.path", "");
    return new ProcessBuilder(
            Path.java(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            classes,
            main.getName(),
            url,
            options.schema(),
            String.valueOf(options.lease().toMillis()))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static final class Path {
    static String java() {
      return ProcessHandle.current().info().command().orElse("java");
    }
  }

  /// Runs a node.
  public static void main(String[] arguments) throws IOException {
    PGSimpleDataSource server = new PGSimpleDataSource();
    server.setUrl(arguments[0]);
    HikariConfig config = new HikariConfig();
    config.setDataSource(server);
    config.setMaximumPoolSize(16);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(10_000);
    PostgresOptions options =
        PostgresOptions.DEFAULT
            .withSchema(arguments[1])
            .withLease(Duration.ofMillis(Long.parseLong(arguments[2])));
    try (HikariDataSource pool = new HikariDataSource(config);
        Engine _ =
            Engine.open(
                EngineOptions.defaults()
                    .withShards(2)
                    .withGrace(Duration.ofSeconds(10))
                    .withHandler("pay", call -> pay(pool, options.schema(), call))
                    .withHandler(
                        "wait",
                        call -> {
                          new CountDownLatch(1).await(2, TimeUnit.SECONDS);
                          return pay(pool, options.schema(), call);
                        })
                    .withHandler("halt", NodeProcess::halt),
                PostgresCluster.of(pool, options),
                workflows())) {
      while (System.in.read() >= 0) {
        // until the test closes it
      }
    }
  }

  static WorkflowDefinition[] workflows() {
    List<WorkflowDefinition> all = new ArrayList<>(WORKFLOWS);
    all.add(SLOW);
    all.add(SLOW_ONCE);
    all.add(POISON);
    return all.toArray(WorkflowDefinition[]::new);
  }

  private static Map<String, Object> halt(EffectCall call) {
    Runtime.getRuntime().halt(1);
    return Map.of();
  }

  private static Map<String, Object> pay(DataSource source, String schema, EffectCall call)
      throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement insert =
            connection.prepareStatement("insert into " + schema + ".paid values (?)")) {
      insert.setString(1, call.caseId());
      insert.executeUpdate();
    }
    return Map.of("paid", true);
  }
}
