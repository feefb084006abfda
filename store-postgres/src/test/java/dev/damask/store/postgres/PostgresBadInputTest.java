package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.damask.caller.CaseResult;
import dev.damask.caller.StartReply;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/// What a cluster does with servers, settings and data that it cannot use. See also
/// `PostgresSchemaTest` (version, encoding, rights, roles, standby), `PoolTest` and `PoolerTest`
/// (pooler) and `ClusterInboxTest` (missing program).
@Timeout(120)
final class PostgresBadInputTest {
  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition waits = workflow("waits", defer(on("go", skip())));

  @AfterEach
  void close() {
    nodes.close();
  }

  private static HikariDataSource pool(PGSimpleDataSource source) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setConnectionTimeout(500);
    config.setMinimumIdle(0);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  @Test
  void the_error_of_a_pool_carries_the_reason_why_it_cannot_connect() {
    PGSimpleDataSource user = TestServer.source();
    user.setUser("nobody_has_this_name");
    PGSimpleDataSource port = TestServer.through(TestServer.host(), 1);
    try (HikariDataSource wrongUser = pool(user);
        HikariDataSource wrongPort = pool(port)) {
      assertThatThrownBy(() -> PostgresCluster.of(wrongUser, nodes.options).join())
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("role \"nobody_has_this_name\" does not exist")
          .hasMessageEndingWith("; check user and password");
      assertThatThrownBy(() -> PostgresCluster.of(wrongPort, nodes.options).join())
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("refused")
          .hasMessageEndingWith(
              "1 refused; check host and port of the URL and that the server runs");
    }
  }

  @Test
  void an_unknown_host_is_named() {
    PGSimpleDataSource nowhere = TestServer.through("nowhere.invalid", 5_432);

    assertThatThrownBy(() -> PostgresCluster.of(nowhere, nodes.options).join())
        .isInstanceOf(StoreException.class)
        .hasMessageEndingWith(
            ": unknown host 'nowhere.invalid'; check host and port of the URL and that the server"
                + " runs");
  }

  /// The server of the tests trusts every password, except of this role.
  @Test
  void a_wrong_password_is_refused_with_the_user_whose_password_it_is() throws IOException {
    assumeThat(System.getenv("DAMASK_TEST_POSTGRES")).isNull();
    String role = nodes.options.schema() + "_guarded";
    TestServer.execute("create role " + role + " login password 'right'");
    Path rules = Path.of(TestServer.query("show hba_file").getFirst());
    String before = Files.readString(rules);
    Files.writeString(rules, "host all " + role + " all scram-sha-256\n" + before);
    try {
      TestServer.execute("select pg_reload_conf()");
      PGSimpleDataSource source = TestServer.source();
      source.setUser(role);
      source.setPassword("wrong");
      TestNodes.await(() -> !canConnect(source), () -> "the server asks for the password");

      assertThatThrownBy(() -> PostgresCluster.of(source, nodes.options).join())
          .isInstanceOf(StoreException.class)
          .hasMessageEndingWith(
              "password authentication failed for user \"" + role + "\"; check user and password");
    } finally {
      Files.writeString(rules, before);
      TestServer.execute("select pg_reload_conf()");
    }
  }

  private static boolean canConnect(PGSimpleDataSource source) {
    try (Connection connection = source.getConnection()) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  @Test
  void a_schema_that_a_newer_version_has_upgraded_is_refused() {
    nodes.execute("update @.cluster set schema_version = 99, format = 99");

    assertThatThrownBy(() -> nodes.open(waits))
        .hasMessageContaining("has version 99 and format 99, this version of Damask supports")
        .hasMessageEndingWith("use the version of Damask that upgraded it");
  }

  @Test
  void a_database_that_is_full_acknowledges_nothing_and_continues_when_there_is_room()
      throws Exception {
    Engine engine = nodes.open(waits);
    engine.start(waits, "before", Context.empty());
    nodes.execute(
        "create function @.full() returns trigger language plpgsql as"
            + " $$ begin raise exception 'could not extend file' using errcode = '53100';"
            + " end $$");
    nodes.execute(
        "create trigger full_disk before insert or update on @.cases"
            + " for each row execute function @.full()");

    CompletableFuture<StartReply> started = engine.startAsync(waits, "one", Context.empty());
    assertThatThrownBy(() -> started.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
    assertThat(nodes.query("select case_id from @.cases")).containsExactly("before");
    nodes.execute("drop trigger full_disk on @.cases");

    assertThat(started.get(30, TimeUnit.SECONDS).isNew()).isTrue();
    assertThat(engine.signal("before", "go", Map.of()).isAccepted()).isTrue();
  }

  @Test
  void two_clusters_in_one_database_do_not_see_each_other() throws Exception {
    try (TestNodes other = new TestNodes()) {
      Engine one = nodes.open(waits);
      Engine two = other.open(waits);
      one.start(waits, "same", Context.of("in", "one"));
      two.start(waits, "same", Context.of("in", "two"));

      assertThat(one.signal("same", "go", Map.of()).isAccepted()).isTrue();

      assertThat(one.await("same")).isEqualTo(new CaseResult.Completed<>(Context.of("in", "one")));
      assertThat(two.status("same").status().isEnded()).isFalse();
    }
  }

  /// Seen from the node, the database is a day ahead: the node's own clock is a day late.
  @Test
  void a_node_whose_clock_is_a_day_off_uses_the_clock_of_the_database() {
    AlteredSource ahead =
        AlteredSource.replacing(
            TestServer.source(), "clock_timestamp()", "(clock_timestamp() + interval '1 day')");
    long tomorrow = System.currentTimeMillis() + Duration.ofDays(1).toMillis();
    try (PostgresNode node = PostgresNode.join(ahead, nodes.options)) {
      assertThat(node.millis()).isBetween(tomorrow - 10_000, tomorrow + 60_000);
      assertThat(node.isSkewed()).isTrue();
    }
    try (PostgresNode node = PostgresNode.join(TestServer.source(), nodes.options)) {
      assertThat(node.isSkewed()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "postgresql"})
  void a_zero_character_is_refused_in_ids_payloads_and_results(String kind) throws Exception {
    Store store =
        kind.equals("memory")
            ? new MemoryStore()
            : PostgresStore.open(TestServer.source(), nodes.options);
    WorkflowDefinition asks = workflow("asks", effect("ask"));
    EngineOptions options =
        EngineOptions.defaults()
            .withShards(1)
            .withGrace(Duration.ofMillis(20))
            .withHandler("ask", _ -> Map.of("list", List.of("a", Map.of("b", "c\0"))));
    try (Engine engine = Engine.open(options, store, waits, asks)) {
      assertThatThrownBy(() -> engine.start(waits, "a\0", Context.empty()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> engine.start(waits, "a", Context.of("name", "x\0y")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("case a: the input must not contain U+0000, found one in 'name'");
      engine.start(waits, "a", Context.empty());
      assertThatThrownBy(() -> engine.signal("a", "go", Map.of("k\0", 1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("case a: a payload must not contain U+0000, found one in 'k\\u0000'");
      assertThat(engine.signal("a", "go", Map.of("k", 1)).isAccepted()).isTrue();
      engine.start(asks, "b", Context.empty());
      assertThat(engine.await("b").toString())
          .contains("a result must not contain U+0000, found one in 'list[1].b'");
    }
  }
}
