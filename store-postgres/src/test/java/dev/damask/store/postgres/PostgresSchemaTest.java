package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cluster.Slots;
import dev.damask.store.StoreException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/// Creation and upgrade of the tables, and the servers that are refused.
@Timeout(60)
final class PostgresSchemaTest {
  private static void open(PGSimpleDataSource source, PostgresOptions options) {
    PostgresNode.join(source, options).close();
  }

  private static void leave(PostgresNode node) {
    try (node) {
      node.leave();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void init_creates_the_tables_once_and_keeps_them() {
    PostgresOptions options = TestServer.newSchema();
    PostgresSchema schema = new PostgresSchema(TestServer.source(), options);

    assertThat(schema.init()).isTrue();
    String id = TestServer.query("select id, class from " + options.schema() + ".cluster").get(0);
    assertThat(schema.init()).isFalse();

    assertThat(TestServer.query("select id, class from " + options.schema() + ".cluster"))
        .containsExactly(id);
  }

  @Test
  void a_role_without_superuser_right_can_create_and_use_the_tables() {
    PostgresOptions options = TestServer.newSchema();
    String role = options.schema();
    TestServer.execute("create role " + role + " login password 'pw' nosuperuser");
    TestServer.execute("create schema " + role + " authorization " + role);
    PGSimpleDataSource source = TestServer.source();
    source.setUser(role);
    source.setPassword("pw");

    new PostgresSchema(source, options).init();
    try (PostgresNode node = PostgresNode.join(source, options)) {
      assertThat(node.slotCount()).isEqualTo(Slots.COUNT);
    }
  }

  @Test
  void sql_computes_the_same_slots() {
    PostgresOptions options = TestServer.schema();
    List<String> ids = new ArrayList<>(List.of("", "abc", "order-42", "A:b_c.d-e"));
    for (int i = 0; i < 200; i++) {
      ids.add("case-" + i * 7919);
    }

    String list = ids.stream().map(id -> "'" + id + "'").collect(Collectors.joining(","));
    assertThat(
            TestServer.query(
                ("select %s.damask_slot(id) from unnest(array[%s])"
                        + " with ordinality as u (id, n) order by n")
                    .formatted(options.schema(), list)))
        .isEqualTo(ids.stream().map(id -> String.valueOf(Slots.of(id))).toList());
  }

  @Test
  void two_clusters_in_one_database_never_have_one_class_of_locks() {
    PostgresOptions one = TestServer.schema();
    int used =
        Integer.parseInt(TestServer.query("select class from " + one.schema() + ".cluster").get(0));
    PostgresOptions other = TestServer.newSchema();
    Iterator<Integer> drawn = List.of(used, used, 77).iterator();

    new PostgresSchema(TestServer.source(), other, PostgresSchema.shipped(), drawn::next).init();

    assertThat(TestServer.query("select class from " + other.schema() + ".cluster"))
        .containsExactly("77");
  }

  @Test
  void a_class_that_an_application_uses_for_its_locks_is_not_drawn() throws Exception {
    PostgresOptions options = TestServer.newSchema();
    Iterator<Integer> drawn = List.of(4711, 78).iterator();
    try (var connection = TestServer.source().getConnection();
        var statement = connection.createStatement()) {
      statement.execute("select pg_advisory_lock(4711, 5)");
      new PostgresSchema(TestServer.source(), options, PostgresSchema.shipped(), drawn::next)
          .init();
    }

    assertThat(TestServer.query("select class from " + options.schema() + ".cluster"))
        .containsExactly("78");
  }

  @Test
  void an_upgrade_runs_the_missing_migrations_and_older_nodes_work_until_it_is_finished() {
    PostgresOptions options = TestServer.schema();
    List<String> next = new ArrayList<>(PostgresSchema.shipped());
    next.add("create table @.added_later (id int4 primary key)");
    PostgresSchema newer = new PostgresSchema(TestServer.source(), options, next, () -> 1);

    assertThat(newer.upgrade()).isTrue();
    assertThat(newer.upgrade()).isFalse();
    assertThat(TestServer.query("select * from " + options.schema() + ".added_later")).isEmpty();
    PostgresNode older = PostgresNode.join(TestServer.source(), options);
    assertThatThrownBy(newer::finish)
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "schema %s: node 1 (%s) has version %d and could not read the formats of version %d;"
                    .formatted(
                        options.schema(),
                        options.address(),
                        PostgresSchema.VERSION,
                        PostgresSchema.VERSION + 1)
                + " replace it first");
    leave(older);
    newer.finish();

    assertThatThrownBy(() -> open(TestServer.source(), options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("use the version of Damask that upgraded it");
  }

  @Test
  void an_older_schema_is_refused_with_the_call_that_upgrades_it() {
    PostgresOptions options = TestServer.schema();
    TestServer.execute("update " + options.schema() + ".cluster set schema_version = 0");

    assertThatThrownBy(() -> open(TestServer.source(), options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("call PostgresSchema.upgrade");
  }

  @Test
  void a_schema_without_tables_is_refused_with_the_call_that_creates_them() {
    assertThatThrownBy(() -> open(TestServer.source(), TestServer.newSchema()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("call PostgresSchema.init");
  }

  @Test
  void a_wrong_port_password_or_database_says_what_to_check() {
    PostgresOptions options = TestServer.schema();
    PGSimpleDataSource port = TestServer.through(TestServer.host(), 1);
    PGSimpleDataSource user = TestServer.source();
    user.setUser("nobody_has_this_name");
    PGSimpleDataSource database = TestServer.source();
    database.setDatabaseName("missing");

    assertThatThrownBy(() -> open(port, options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("check host and port");
    assertThatThrownBy(() -> open(user, options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("check user and password");
    assertThatThrownBy(() -> open(database, options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("create the database or correct its name");
  }

  @Test
  void a_role_without_rights_is_told_what_to_grant() {
    PostgresOptions options = TestServer.schema();
    String role = options.schema() + "_guest";
    TestServer.execute("create role " + role + " login password 'pw'");
    PGSimpleDataSource source = TestServer.source();
    source.setUser(role);
    source.setPassword("pw");

    assertThatThrownBy(() -> open(source, options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("permission denied")
        .hasMessageContaining("grant the role the right");
  }

  @Test
  void a_database_that_is_not_utf8_is_refused() {
    String name = TestServer.newSchema().schema();
    TestServer.execute(
        "create database "
            + name
            + " encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'"
            + " template template0");
    PGSimpleDataSource source = TestServer.source();
    source.setDatabaseName(name);

    assertThatThrownBy(() -> new PostgresSchema(source, TestServer.newSchema()).init())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("encoding SQL_ASCII")
        .hasMessageContaining("create a database with encoding UTF8");
    TestServer.execute("drop database " + name);
  }

  /// The answers of servers that this test does not have.
  @Test
  void an_old_server_a_standby_and_a_server_without_fsync_are_refused() {
    PostgresOptions options = TestServer.schema();
    var source = TestServer.source();
    var old =
        AlteredSource.replacing(source, "current_setting('server_version_num')::int4", "140009");
    var standby = AlteredSource.replacing(source, "pg_is_in_recovery()", "true");
    var noSync = AlteredSource.replacing(source, "current_setting('fsync')", "'off'");
    var torn = AlteredSource.replacing(source, "current_setting('full_page_writes')", "'off'");

    assertThatThrownBy(() -> PostgresNode.join(old, options))
        .hasMessageContaining("use PostgreSQL 15 or later");
    assertThatThrownBy(() -> PostgresNode.join(standby, options))
        .hasMessageContaining("read-only standby; connect to the primary");
    assertThatThrownBy(() -> PostgresNode.join(noSync, options))
        .hasMessageContaining("fsync off and can lose acknowledged changes");
    assertThatThrownBy(() -> PostgresNode.join(torn, options))
        .hasMessageContaining("full_page_writes off");
    PostgresNode.join(noSync, options.withServerThatCanLoseData()).close();
  }

  @Test
  void two_roles_in_one_cluster_are_refused() {
    PostgresOptions options = TestServer.schema();
    String role = options.schema();
    TestServer.execute("create role " + role + " login superuser password 'pw'");
    PGSimpleDataSource source = TestServer.source();
    source.setUser(role);
    source.setPassword("pw");

    try (PostgresNode node = PostgresNode.join(TestServer.source(), options)) {
      assertThatThrownBy(() -> PostgresNode.join(source, options))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("node " + node.id() + " uses role postgres")
          .hasMessageContaining("use one role for all nodes");
    }
  }
}
