package dev.damask.store.rocksdb;

import dev.damask.store.TableRow;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// The keys of the table. A string is written as UTF-8 and ended by the bytes 0 and 1; a zero byte
/// in it is written as 0 and 255. So keys sort like their strings. Versions are stored inverted, so
/// that the greatest comes first.
final class TableKeys {
  static final byte ROW = 'b';
  static final byte INDEX = 'x';

  private static final int ESCAPED = 0xFF;
  private static final int END = 1;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private TableKeys(byte kind) {
    out.write(kind);
  }

  static byte[] row(TableRow row) {
    return row(row.kind(), row.key(), row.version());
  }

  static byte[] row(String kind, String key, long version) {
    return new TableKeys(ROW).text(kind).text(key).version(version).toBytes();
  }

  static byte[] rowsOf(String kind) {
    return new TableKeys(ROW).text(kind).toBytes();
  }

  static byte[] rowsOf(String kind, String key) {
    return new TableKeys(ROW).text(kind).text(key).toBytes();
  }

  static byte[] index(TableRow row) {
    return new TableKeys(INDEX)
        .text(row.kind())
        .text(row.indexKey())
        .text(row.key())
        .version(row.version())
        .toBytes();
  }

  /// Returns the prefix of the index entries of a kind whose index keys begin with a prefix.
  static byte[] indexOf(String kind, String prefix) {
    return new TableKeys(INDEX).text(kind).open(prefix).toBytes();
  }

  /// Returns the key of the row that an index entry refers to.
  static byte[] rowOfIndex(byte[] entry) {
    Parts parts = new Parts(entry);
    String kind = parts.text();
    parts.text();
    String key = parts.text();
    return row(kind, key, parts.version());
  }

  /// Reads the parts of a key in order.
  static final class Parts {
    private final byte[] key;
    private int at = 1;

    Parts(byte[] key) {
      this.key = key;
    }

    String text() {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      while (key[at] != 0 || key[at + 1] != END) {
        text.write(key[at]);
        at += key[at] == 0 ? 2 : 1;
      }
      at += 2;
      return text.toString(StandardCharsets.UTF_8);
    }

    long version() {
      return ~(ByteBuffer.wrap(key, at, Long.BYTES).getLong() ^ Long.MIN_VALUE);
    }
  }

  private TableKeys open(String text) {
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      out.write(each);
      if (each == 0) {
        out.write(ESCAPED);
      }
    }
    return this;
  }

  private TableKeys text(String text) {
    open(text);
    out.write(0);
    out.write(END);
    return this;
  }

  private TableKeys version(long version) {
    byte[] inverted = ByteBuffer.allocate(Long.BYTES).putLong(~version ^ Long.MIN_VALUE).array();
    out.writeBytes(inverted);
    return this;
  }

  private byte[] toBytes() {
    return out.toByteArray();
  }
}
