package dev.damask.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A change of the store's [Table] that is part of a [CommitBatch].
public sealed interface RowChange {
  /// The row that is written or removed.
  TableRow row();

  /// Returns changes with further ones at the end. Of several changes of one row, the last one
  /// counts.
  static List<RowChange> with(List<RowChange> changes, List<RowChange> more) {
    if (more.isEmpty()) {
      return changes;
    }
    List<RowChange> all = new ArrayList<>(changes);
    for (RowChange change : more) {
      all.removeIf(each -> each.isOf(change.row()));
      all.add(change);
    }
    return all;
  }

  private boolean isOf(TableRow other) {
    return row().key().equals(other.key())
        && row().kind().equals(other.kind())
        && row().version() == other.version();
  }

  /// Writes a row. If the row exists, its value is replaced; its index key must stay the same. To
  /// change the index key, remove the old row in the same batch before. Kind, key and index key
  /// must have at most [#KEYS_BYTES_MAX] bytes together.
  record Put(TableRow row) implements RowChange {
    /// The size that every store can index.
    public static final int KEYS_BYTES_MAX = 2_000;

    public Put {
      String keys = row.kind() + row.key() + row.indexKey();
      int size = keys.getBytes(StandardCharsets.UTF_8).length;
      if (size > KEYS_BYTES_MAX) {
        throw new IllegalArgumentException(
            "table row of kind %s: kind, key and index key have at most %d bytes, these have %d"
                .formatted(row.kind(), KEYS_BYTES_MAX, size));
      }
    }
  }

  /// Removes a row as it was read. Does nothing if the row does not exist.
  record Remove(TableRow row) implements RowChange {}
}
