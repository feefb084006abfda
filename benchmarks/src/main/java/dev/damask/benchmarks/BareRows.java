package dev.damask.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;

/// The rows of durable steps without an engine: what the same server takes from a loop that writes
/// them in batches, one statement per table. A step updates its case, inserts a delta, a receipt
/// and its inputs, inserts an intent and deletes it.
final class BareRows {
  private static final int BYTES = 160;

  private final BenchServer server;
  private final String schema;
  private long number; // of the last batch

  BareRows(BenchServer server, String schema) throws SQLException {
    this.server = server;
    this.schema = schema;
    server.execute(
        ("create schema @; create table @.cases (id int8 primary key, n int8, record bytea)"
                + " with (fillfactor = 70);"
                + " insert into @.cases select i, 0, '' from generate_series(0, 99999) i;"
                + " create table @.deltas (id int8, n int8, record bytea, primary key (id, n));"
                + " create table @.receipts (id int8, n int8, record bytea, primary key (id, n));"
                + " create table @.journal (id int8, n int8, record bytea, primary key (id, n));"
                + " create table @.intents (id int8 primary key, record bytea)")
            .replace("@", schema));
  }

  /// Writes batches for a time and returns the steps per second.
  double perSecond(int size, long nanos) throws SQLException {
    long begin = System.nanoTime();
    long steps = 0;
    try (Connection connection = server.connect()) {
      connection.setAutoCommit(false);
      while (System.nanoTime() - begin < nanos) {
        number++;
        Long[] ids = new Long[size];
        for (int i = 0; i < size; i++) {
          ids[i] = (number * size + i) % 100_000;
        }
        write(connection, ids, number);
        steps += size;
      }
    }
    return steps * 1e9 / (System.nanoTime() - begin);
  }

  private void write(Connection connection, Long[] ids, long number) throws SQLException {
    byte[][] records = new byte[ids.length][BYTES];
    for (byte[] each : records) {
      Arrays.fill(each, (byte) number);
    }
    run(
        connection,
        "update @.cases c set n = ?, record = u.r"
            + " from unnest(?::int8[], ?::bytea[]) u (id, r) where c.id = u.id",
        ids,
        records,
        number);
    for (String table : new String[] {"deltas", "receipts", "journal"}) {
      String insert = "insert into @." + table + " (n, id, record) select ?, u.id, u.r from";
      run(connection, insert + " unnest(?::int8[], ?::bytea[]) u (id, r)", ids, records, number);
    }
    run(
        connection,
        "insert into @.intents (id, record) select u.id + 0 * ?, u.r"
            + " from unnest(?::int8[], ?::bytea[]) u (id, r)",
        ids,
        records,
        number);
    connection.commit(); // the intent is durable before its effect is called
    run(
        connection,
        "delete from @.intents i using unnest(?::int8[]) u (id) where i.id = u.id",
        ids);
    connection.commit();
  }

  private void run(Connection connection, String sql, Long[] ids, byte[][] records, long number)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.replace("@", schema))) {
      statement.setLong(1, number);
      statement.setArray(2, connection.createArrayOf("int8", ids));
      statement.setArray(3, connection.createArrayOf("bytea", records));
      statement.executeUpdate();
    }
  }

  private void run(Connection connection, String sql, Long[] ids) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.replace("@", schema))) {
      statement.setArray(1, connection.createArrayOf("int8", ids));
      statement.executeUpdate();
    }
  }
}
