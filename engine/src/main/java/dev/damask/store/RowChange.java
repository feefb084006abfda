package dev.damask.store;

import java.nio.charset.StandardCharsets;
import java.util.AbstractCollection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/// A change of the store's [Table] that is part of a [CommitBatch].
public sealed interface RowChange {
  /// The row that is written or removed.
  TableRow row();

  /// Changes in the order in which they are written. Of several changes of one row, only the last
  /// one is kept.
  final class Queue extends AbstractCollection<RowChange> {
    private record Place(String kind, String key, long version) {}

    private @Nullable LinkedHashMap<Place, RowChange> changes; // most cases never change a row

    @Override
    public boolean add(RowChange change) {
      changes = changes == null ? new LinkedHashMap<>() : changes;
      TableRow row = change.row();
      changes.putLast(new Place(row.kind(), row.key(), row.version()), change);
      return true;
    }

    @Override
    public Iterator<RowChange> iterator() {
      return changes == null ? Collections.emptyIterator() : changes.values().iterator();
    }

    @Override
    public int size() {
      return changes == null ? 0 : changes.size();
    }

    @Override
    public void clear() {
      changes = null;
    }
  }

  /// Writes a row. If the row exists, its value is replaced; its index key must stay the same. To
  /// change the index key, remove the old row in the same batch before. Kind, key and index key
  /// must have at most [#KEYS_BYTES_MAX] bytes together.
  record Put(TableRow row) implements RowChange {
    /// The size that every store can index.
    public static final int KEYS_BYTES_MAX = 2_000;

    private static final int CHARACTER_BYTES_MAX = 3;

    public Put {
      String keys = row.kind() + row.key() + row.indexKey();
      boolean mayBeLarge = keys.length() > KEYS_BYTES_MAX / CHARACTER_BYTES_MAX;
      int size = mayBeLarge ? keys.getBytes(StandardCharsets.UTF_8).length : 0;
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
