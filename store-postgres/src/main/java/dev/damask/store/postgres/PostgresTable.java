package dev.damask.store.postgres;

import dev.damask.sql.Columns;
import dev.damask.sql.SqlText;
import dev.damask.store.RowChange;
import dev.damask.store.StoreException;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The store's table in PostgreSQL. Texts are stored as UTF-8: bytes sort by code point, and
/// columns of type `text` reject U+0000.
final class PostgresTable implements Table {
  private static final String SELECT =
      "select kind, key, version, bytes, index_key, checksum from @.rows ";
  private static final byte[] AFTER_ALL_TEXT = {(byte) 0xFF};
  private static final int VERIFIED = 1_000;

  private final PostgresReads reads;

  PostgresTable(PostgresReads reads) {
    this.reads = reads;
  }

  /// Writes changes in the transaction of a commit. Each row has one change, and the changes are
  /// sorted by key.
  static void write(Connection connection, SqlText sql, Collection<RowChange> changes)
      throws SQLException {
    Columns gone = new Columns("bytea", "bytea", "int8");
    Columns set = new Columns("bytea", "bytea", "int8", "bytea", "bytea", "int4");
    for (RowChange change : changes) {
      TableRow row = change.row();
      byte[] kind = bytes(row.kind());
      byte[] key = bytes(row.key());
      switch (change) {
        case RowChange.Put _ ->
            set.add(
                kind,
                key,
                row.version(),
                row.value().toArray(),
                bytes(row.indexKey()),
                checksum(row));
        case RowChange.Remove _ -> gone.add(kind, key, row.version());
      }
    }
    gone.run(
        connection,
        sql.of(
            "delete from @.rows r using unnest(?::bytea[], ?::bytea[], ?::int8[])"
                + " as u (kind, key, version)"
                + " where r.kind = u.kind and r.key = u.key and r.version = u.version"));
    set.run(
        connection,
        sql.of(
            "insert into @.rows (kind, key, version, bytes, index_key, checksum)"
                + " select u.kind, u.key, u.version, u.bytes, u.index_key, u.checksum"
                + " from unnest(?::bytea[], ?::bytea[], ?::int8[], ?::bytea[], ?::bytea[],"
                + " ?::int4[]) as u (kind, key, version, bytes, index_key, checksum)"
                + " on conflict (kind, key, version) do update set bytes = excluded.bytes,"
                + " index_key = excluded.index_key, checksum = excluded.checksum"));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// Covers the whole row, so that a value in a foreign row is noticed.
  private static int checksum(TableRow row) {
    CRC32C crc = new CRC32C();
    for (byte[] part :
        List.of(
            bytes(row.kind()), bytes(row.key()), bytes(row.indexKey()), row.value().toArray())) {
      crc.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).flip());
      crc.update(part);
    }
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(row.version()).flip());
    return (int) crc.getValue();
  }

  private static TableRow row(ResultSet found) throws SQLException {
    String name = "version " + found.getLong(3);
    try {
      String kind = text(found.getBytes(1));
      String key = text(found.getBytes(2));
      name = "%s '%s' version %d".formatted(kind, key, found.getLong(3));
      TableRow row =
          new TableRow(
              kind, key, found.getLong(3), Bytes.of(found.getBytes(4)), text(found.getBytes(5)));
      if (checksum(row) != found.getInt(6)) {
        throw new StoreException("table row " + name + ": checksum mismatch: the row is corrupt");
      }
      return row;
    } catch (CharacterCodingException | IllegalArgumentException e) {
      throw new StoreException("table row " + name + ": the row is corrupt: " + e, e);
    }
  }

  private static String text(byte[] bytes) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }

  @Override
  public Optional<TableRow> find(String kind, String key, long version) {
    return reads
        .query(
            SELECT + "where kind = ? and key = ? and version = ?",
            PostgresTable::row,
            bytes(kind),
            bytes(key),
            version)
        .stream()
        .findFirst();
  }

  /// Reads a row in the caller's transaction.
  static Optional<TableRow> find(Connection connection, SqlText sql, RowReplacement.Name name)
      throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            sql.of(SELECT + "where kind = ? and key = ? and version = ?"))) {
      query.setBytes(1, bytes(name.kind()));
      query.setBytes(2, bytes(name.key()));
      query.setLong(3, name.version());
      try (ResultSet found = query.executeQuery()) {
        return found.next() ? Optional.of(row(found)) : Optional.empty();
      }
    }
  }

  @Override
  public List<TableRow> versions(String kind, String key, int limit) {
    return reads.query(
        SELECT + "where kind = ? and key = ? order by version desc limit ?",
        PostgresTable::row,
        bytes(kind),
        bytes(key),
        limit);
  }

  @Override
  public List<TableRow> rows(String kind, @Nullable TableRow after, int limit) {
    if (after == null) {
      return reads.query(
          SELECT + "where kind = ? order by key, version desc limit ?",
          PostgresTable::row,
          bytes(kind),
          limit);
    }
    byte[] key = bytes(after.key());
    return reads.query(
        SELECT
            + "where kind = ? and key >= ? and (key > ? or version < ?)"
            + " order by key, version desc limit ?",
        PostgresTable::row,
        bytes(kind),
        key,
        key,
        after.version(),
        limit);
  }

  @Override
  public List<TableRow> indexed(String kind, String prefix, @Nullable TableRow after, int limit) {
    byte[] first = bytes(prefix);
    if (after == null) {
      return reads.query(
          SELECT
              + "where kind = ? and index_key <> '' and index_key >= ? and index_key < ?"
              + " order by index_key, key, version desc limit ?",
          PostgresTable::row,
          bytes(kind),
          first,
          end(first),
          limit);
    }
    byte[] index = bytes(after.indexKey());
    byte[] key = bytes(after.key());
    return reads.query(
        SELECT
            + "where kind = ? and index_key <> '' and index_key >= ? and index_key < ?"
            + " and (index_key, key) >= (?, ?) and ((index_key, key) > (?, ?) or version < ?)"
            + " order by index_key, key, version desc limit ?",
        PostgresTable::row,
        bytes(kind),
        first,
        end(first),
        index,
        key,
        index,
        key,
        after.version(),
        limit);
  }

  /// Returns the smallest bytes after all texts with a prefix. UTF-8 has no byte 255.
  private static byte[] end(byte[] prefix) {
    if (prefix.length == 0) {
      return AFTER_ALL_TEXT;
    }
    byte[] end = prefix.clone();
    end[end.length - 1]++;
    return end;
  }

  /// Returns rows of all kinds, ordered by kind, key and version.
  ///
  /// @param after the last row of the page before; null for the first page
  List<TableRow> all(@Nullable TableRow after, int limit) {
    return reads.query(
        SELECT + "where (kind, key, version) > (?, ?, ?) order by kind, key, version limit ?",
        PostgresTable::row,
        bytes(after == null ? "" : after.kind()),
        bytes(after == null ? "" : after.key()),
        after == null ? Long.MIN_VALUE : after.version(),
        limit);
  }

  /// Returns one sentence for each row that cannot be read.
  List<String> verify() {
    List<String> problems = new ArrayList<>();
    byte[] kind = {};
    byte[] key = {};
    long version = Long.MIN_VALUE;
    while (true) {
      List<Position> page =
          reads.query(
              SELECT + "where (kind, key, version) > (?, ?, ?) order by kind, key, version limit ?",
              found -> checked(found, problems),
              kind,
              key,
              version,
              VERIFIED);
      if (page.size() < VERIFIED) {
        return problems;
      }
      kind = page.getLast().kind;
      key = page.getLast().key;
      version = page.getLast().version;
    }
  }

  /// Where a row is.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Position(byte[] kind, byte[] key, long version) {}

  private static Position checked(ResultSet found, List<String> problems) throws SQLException {
    try {
      row(found);
    } catch (StoreException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
    return new Position(found.getBytes(1), found.getBytes(2), found.getLong(3));
  }
}
