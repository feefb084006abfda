package dev.damask.store;

import java.nio.charset.StandardCharsets;
import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A change of the store's [Table] that is part of a [CommitBatch].
public sealed interface RowChange {
  /// The row that is written or removed.
  TableRow row();

  /// Changes that are written together: first what is removed, then what is put. Of several changes
  /// of one row, only the last one is written. A row that is put after it was removed may have
  /// another index key, so both changes are kept.
  final class Queue extends AbstractCollection<RowChange> {
    private record Place(String kind, String key, long version) {}

    // Null while they are empty: most cases never change a row.
    private @Nullable LinkedHashSet<Remove> removed;
    private @Nullable LinkedHashMap<Place, RowChange> put;

    @Override
    public boolean add(RowChange change) {
      TableRow row = change.row();
      Place place = new Place(row.kind(), row.key(), row.version());
      switch (change) {
        case Put _ -> {
          put = put == null ? new LinkedHashMap<>() : put;
          put.putLast(place, change);
        }
        case Remove gone -> {
          if (put != null) {
            put.remove(place);
          }
          removed = removed == null ? new LinkedHashSet<>() : removed;
          removed.add(gone);
        }
      }
      return true;
    }

    private Collection<? extends RowChange> removes() {
      return removed == null ? List.of() : removed;
    }

    private Collection<? extends RowChange> puts() {
      return put == null ? List.of() : put.values();
    }

    @Override
    public Iterator<RowChange> iterator() {
      return Stream.<RowChange>concat(removes().stream(), puts().stream()).iterator();
    }

    @Override
    public boolean removeIf(Predicate<? super RowChange> filter) {
      boolean isRemoveDropped = removed != null && removed.removeIf(filter);
      boolean isPutDropped = put != null && put.values().removeIf(filter);
      return isRemoveDropped || isPutDropped;
    }

    @Override
    public int size() {
      return removes().size() + puts().size();
    }

    @Override
    public void clear() {
      removed = null;
      put = null;
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
