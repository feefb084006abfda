package dev.damask.store.postgres;

import dev.damask.sql.ClusterIdentity;
import dev.damask.sql.SqlText;
import dev.damask.store.StoreException;
import dev.damask.store.postgres.FencedCommit.SqlFunction;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// Creates and upgrades the tables of a cluster. Needs the right to create a schema in the
/// database, or to create tables in an existing schema, and no superuser right.
///
/// Damask versions N and N+1 share one schema. `upgrade` adds what version N+1 needs while nodes of
/// version N are running; `finish` allows nodes to write the new formats and locks the older
/// version out.
public final class PostgresSchema {
  /// The schema version that this version of Damask creates.
  public static final int VERSION = 5;

  private static final int ATTEMPTS_MAX = 100;

  private final DataSource source;
  private final PostgresOptions options;
  private final SqlText sql;
  private final List<String> migrations;
  private final IntSupplier classes;

  /// Describes the schema that the options name. Connects to nothing.
  public PostgresSchema(DataSource source, PostgresOptions options) {
    this(source, options, shipped(), () -> new SecureRandom().nextInt(1, Integer.MAX_VALUE));
  }

  /// @param migrations the script of each version, from version 1
  /// @param classes draws classes of advisory locks
  PostgresSchema(
      DataSource source, PostgresOptions options, List<String> migrations, IntSupplier classes) {
    this.source = source;
    this.options = options;
    this.sql = new SqlText(options.schema());
    this.migrations = List.copyOf(migrations);
    this.classes = classes;
  }

  static List<String> shipped() {
    List<String> scripts = new ArrayList<>();
    for (int version = 1; version <= VERSION; version++) {
      try (InputStream in =
          PostgresSchema.class.getResourceAsStream("schema-" + version + ".sql")) {
        if (in == null) {
          throw new IllegalStateException("schema-" + version + ".sql is not in the jar");
        }
        scripts.add(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return scripts;
  }

  /// Creates the tables. Returns false if the schema has the tables of a cluster, which stay as
  /// they are. Throws [StoreException] if the server does not fit or the role lacks a right.
  public boolean init() {
    return transaction(
        "cannot create schema " + options.schema(),
        connection -> {
          if (identity(connection, sql) != null) {
            return false;
          }
          try (Statement statement = connection.createStatement()) {
            if (!exists(connection)) {
              statement.execute("create schema " + options.schema());
            }
            for (String script : migrations) {
              statement.execute(sql.of(script));
            }
          }
          try (PreparedStatement insert =
              connection.prepareStatement(
                  sql.of(
                      "insert into @.cluster (id, class, schema_version, format)"
                          + " values (?, ?, ?, ?)"))) {
            insert.setObject(1, UUID.randomUUID());
            insert.setInt(2, drawClass(connection));
            insert.setInt(3, migrations.size());
            insert.setInt(4, migrations.size());
            insert.executeUpdate();
          }
          return true;
        });
  }

  /// Brings the tables to this version's schema; nodes of the version before may run on. Returns
  /// false if there was nothing to do.
  public boolean upgrade() {
    return transaction(
        "cannot upgrade schema " + options.schema(),
        connection -> {
          ClusterIdentity found = require(connection, sql, 1, migrations.size());
          for (int version = found.version() + 1; version <= migrations.size(); version++) {
            try (Statement statement = connection.createStatement()) {
              statement.execute(sql.of(migrations.get(version - 1)));
            }
          }
          set(connection, "schema_version");
          return found.version() < migrations.size();
        });
  }

  /// Lets nodes write this version's formats. From then on older versions are refused. Throws
  /// [StoreException] while a node of an older version may run, because it could not read them.
  public void finish() {
    transaction(
        "cannot finish the upgrade of schema " + options.schema(),
        connection -> {
          ClusterIdentity found = require(connection, sql, migrations.size(), migrations.size());
          lockCluster(connection, found); // no node joins meanwhile
          refuseOlder(connection);
          set(connection, "format");
          return true;
        });
  }

  private void lockCluster(Connection connection, ClusterIdentity cluster) throws SQLException {
    try (PreparedStatement lock =
        connection.prepareStatement("select pg_advisory_xact_lock(?, 0)")) {
      lock.setInt(1, cluster.lockClass());
      lock.execute();
    }
  }

  /// Nodes of versions before 5 do not report their version.
  private void refuseOlder(Connection connection) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            sql.of(
                "select id, address, coalesce(version, 4) from @.node"
                    + " where not fenced and coalesce(version, 4) < ? order by id limit 1"))) {
      query.setInt(1, migrations.size());
      try (ResultSet row = query.executeQuery()) {
        if (row.next()) {
          throw new StoreException(
              ("schema %s: node %d (%s) has version %d and could not read the formats of version"
                      + " %d; replace it first")
                  .formatted(
                      sql.schema(),
                      row.getInt(1),
                      row.getString(2),
                      row.getInt(3),
                      migrations.size()));
        }
      }
    }
  }

  private void set(Connection connection, String column) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(sql.of("update @.cluster set " + column + " = ?"))) {
      update.setInt(1, migrations.size());
      update.executeUpdate();
    }
  }

  private boolean exists(Connection connection) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement("select 1 from pg_namespace where nspname = ?")) {
      query.setString(1, options.schema());
      try (ResultSet rows = query.executeQuery()) {
        return rows.next();
      }
    }
  }

  /// Draws a class that neither another cluster of this database nor a lock of an application uses.
  /// Advisory locks with two keys are one space per database.
  private int drawClass(Connection connection) throws SQLException {
    Set<Integer> used = new HashSet<>();
    try (Statement statement = connection.createStatement()) {
      List<String> others = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              "select quote_ident(n.nspname) from pg_class c"
                  + " join pg_namespace n on n.oid = c.relnamespace"
                  + " join pg_attribute a on a.attrelid = c.oid and a.attname = 'class'"
                  + " where c.relname = 'cluster' and c.relkind = 'r'"
                  + " and has_table_privilege(c.oid, 'select')"
                  + " and a.atttypid = 'int4'::regtype")) {
        while (rows.next()) {
          others.add(rows.getString(1));
        }
      }
      for (String schema : others) {
        try (ResultSet rows = statement.executeQuery("select class from " + schema + ".cluster")) {
          while (rows.next()) {
            used.add(rows.getInt(1));
          }
        }
      }
      try (ResultSet rows =
          statement.executeQuery(
              "select distinct classid::int8 from pg_locks"
                  + " where locktype = 'advisory' and objsubid = 2")) {
        while (rows.next()) {
          used.add((int) rows.getLong(1));
        }
      }
    }
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
      int drawn = classes.getAsInt();
      if (drawn > 0 && !used.contains(drawn)) {
        return drawn;
      }
    }
    throw new StoreException("schema " + options.schema() + ": found no free class of locks");
  }

  /// Returns the identity of a cluster whose schema this version can use. Throws [StoreException]
  /// that names the remedy otherwise.
  static ClusterIdentity require(Connection connection, SqlText sql) throws SQLException {
    return require(connection, sql, VERSION, VERSION);
  }

  static ClusterIdentity require(Connection connection, SqlText sql, int oldest, int known)
      throws SQLException {
    ClusterIdentity found = identity(connection, sql);
    if (found == null) {
      throw new StoreException(
          ("schema %s: has no tables of Damask; run 'damask store init URL' or call"
                  + " PostgresSchema.init")
              .formatted(sql.schema()));
    }
    if (found.version() < oldest) {
      throw new StoreException(
          ("schema %s: has version %d, this version of Damask needs %d;"
                  + " run 'damask store upgrade URL' or call PostgresSchema.upgrade")
              .formatted(sql.schema(), found.version(), oldest));
    }
    if (found.version() > known + 1 || found.format() > known) {
      throw new StoreException(
          ("schema %s: has version %d and format %d, this version of Damask supports %d; use the"
                  + " version of Damask that upgraded it")
              .formatted(sql.schema(), found.version(), found.format(), known));
    }
    return found;
  }

  /// Returns the row of table `cluster`, or null if the schema has no such table.
  private static @Nullable ClusterIdentity identity(Connection connection, SqlText sql)
      throws SQLException {
    try (PreparedStatement query = connection.prepareStatement("select to_regclass(?)")) {
      query.setString(1, sql.of("@.cluster"));
      try (ResultSet rows = query.executeQuery()) {
        if (!rows.next() || rows.getString(1) == null) {
          return null;
        }
      }
    }
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                sql.of("select id, class, schema_version, format from @.cluster"))) {
      return rows.next()
          ? new ClusterIdentity(
              rows.getObject(1, UUID.class), rows.getInt(2), rows.getInt(3), rows.getInt(4))
          : null;
    }
  }

  private boolean transaction(String what, SqlFunction<Boolean> work) {
    try (Connection connection = source.getConnection()) {
      ServerCheck.require(connection, options);
      connection.setAutoCommit(false);
      try {
        NodeLocks.begin(connection);
        try (PreparedStatement lock =
            connection.prepareStatement("select pg_advisory_xact_lock(hashtextextended(?, 0))")) {
          lock.setString(1, "damask schema " + options.schema());
          lock.execute();
        }
        boolean result = work.apply(connection);
        connection.commit();
        return result;
      } finally {
        connection.rollback();
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw PostgresErrors.failure(what, e);
    }
  }
}
