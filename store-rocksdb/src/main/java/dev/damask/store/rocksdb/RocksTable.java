package dev.damask.store.rocksdb;

import dev.damask.store.RowChange;
import dev.damask.store.StoreException;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The table of a store on disk. A row is one value; its index entry is a key without a value that
/// is written in the same batch ([TableKeys]).
final class RocksTable implements Table {
  private static final byte[] NOTHING = {};

  private final Verification.Scan scan;
  private final Function<byte[], byte @Nullable []> get;

  RocksTable(Verification.Scan scan, Function<byte[], byte @Nullable []> get) {
    this.scan = scan;
    this.get = get;
  }

  /// Adds a change to the next write.
  static void write(WriteBatchBytes out, RowChange change) {
    TableRow row = change.row();
    boolean isIndexed = !row.indexKey().isEmpty();
    switch (change) {
      case RowChange.Put _ -> {
        out.put(
            TableKeys.row(row),
            bytes -> {
              bytes.text(row.indexKey());
              bytes.raw(row.value());
            });
        if (isIndexed) {
          out.put(TableKeys.index(row), NOTHING);
        }
      }
      case RowChange.Remove _ -> {
        out.delete(TableKeys.row(row));
        if (isIndexed) {
          out.delete(TableKeys.index(row));
        }
      }
    }
  }

  private static TableRow decode(byte[] key, byte[] value) {
    TableKeys.Parts parts = new TableKeys.Parts(key);
    String kind = parts.text();
    String name = parts.text();
    long version = parts.version();
    Decoder in = new Decoder(value);
    String indexKey = in.text();
    return new TableRow(
        kind, name, version, Bytes.of(in.raw(value.length - in.position())), indexKey);
  }

  static TableRow row(byte[] key, byte[] value) {
    try {
      return decode(key, value);
    } catch (Decoder.DamagedBytes | IndexOutOfBoundsException e) {
      throw new StoreException("the store has a corrupt table row: " + e.getMessage(), e);
    }
  }

  @Override
  public Optional<TableRow> find(String kind, String key, long version) {
    return at(TableKeys.row(kind, key, version));
  }

  private Optional<TableRow> at(byte[] key) {
    return Optional.ofNullable(get.apply(key)).map(value -> row(key, value));
  }

  @Override
  public List<TableRow> versions(String kind, String key, int limit) {
    byte[] prefix = TableKeys.rowsOf(kind, key);
    return rows(prefix, prefix, limit);
  }

  @Override
  public List<TableRow> rows(String kind, @Nullable TableRow after, int limit) {
    byte[] prefix = TableKeys.rowsOf(kind);
    return rows(prefix, after == null ? prefix : next(TableKeys.row(after)), limit);
  }

  private List<TableRow> rows(byte[] prefix, byte[] from, int limit) {
    List<TableRow> rows = new ArrayList<>();
    if (limit > 0) {
      scan.over(
          prefix,
          from,
          (key, value) -> {
            rows.add(row(key, value));
            return rows.size() < limit;
          });
    }
    return rows;
  }

  @Override
  public List<TableRow> indexed(String kind, String prefix, @Nullable TableRow after, int limit) {
    byte[] first = TableKeys.indexOf(kind, prefix);
    List<byte[]> keys = new ArrayList<>();
    if (limit > 0) {
      scan.over(
          first,
          after == null ? first : next(TableKeys.index(after)),
          (key, _) -> {
            keys.add(TableKeys.rowOfIndex(key));
            return keys.size() < limit;
          });
    }
    return keys.stream().map(this::at).flatMap(Optional::stream).toList();
  }

  /// Returns the smallest key after a key.
  private static byte[] next(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  /// Returns one sentence for each row that cannot be read and each index entry or row that has no
  /// counterpart.
  List<String> verify() {
    List<String> problems = new ArrayList<>();
    byte[] rows = {TableKeys.ROW};
    scan.over(
        rows,
        rows,
        (key, value) -> {
          try {
            TableRow row = row(key, value);
            if (!row.indexKey().isEmpty() && get.apply(TableKeys.index(row)) == null) {
              problems.add(name(row) + " is missing in the index");
            }
          } catch (StoreException e) {
            problems.add(String.valueOf(e.getMessage()));
          }
          return true;
        });
    byte[] index = {TableKeys.INDEX};
    scan.over(
        index,
        index,
        (key, _) -> {
          if (get.apply(TableKeys.rowOfIndex(key)) == null) {
            problems.add("table index: entry without a row: " + Arrays.toString(key));
          }
          return true;
        });
    return problems;
  }

  private static String name(TableRow row) {
    return "table row %s '%s' version %d".formatted(row.kind(), row.key(), row.version());
  }
}
