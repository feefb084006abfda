package dev.damask.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The rows that a store keeps beside its cases: graphs and rules, session numbers, and other
/// objects that cases depend on. Retention removes the rows that belong to a case with it, and no
/// others.
///
/// Rows are written with [CommitBatch#rows], in the same atomic commit as the cases that depend on
/// them. Strings are ordered by code point. As all reads of a [Store], these see every commit whose
/// future has completed, and may see later ones.
public interface Table {
  /// Returns the row with this version; empty if it does not exist.
  Optional<TableRow> find(String kind, String key, long version);

  /// Returns the rows of a key, the greatest version first.
  ///
  /// @param limit the maximum number of rows
  List<TableRow> versions(String kind, String key, int limit);

  /// Returns the row with the greatest version of a key; empty if the key has no rows.
  default Optional<TableRow> latest(String kind, String key) {
    return versions(kind, key, 1).stream().findFirst();
  }

  /// Returns the rows of a kind, ordered by key; of one key, the greatest version comes first.
  ///
  /// @param after the last row of the page before; null for the first page
  /// @param limit the maximum number of rows
  List<TableRow> rows(String kind, @Nullable TableRow after, int limit);

  /// Returns the indexed rows of a kind, ordered by index key, then by key; of one key, the
  /// greatest version comes first.
  ///
  /// @param prefix only rows whose index key begins with it; empty for all
  /// @param after the last row of the page before; null for the first page
  /// @param limit the maximum number of rows
  List<TableRow> indexed(String kind, String prefix, @Nullable TableRow after, int limit);

  /// Returns all rows of a kind with this index key, ordered by key.
  default List<TableRow> allIndexed(String kind, String indexKey) {
    int size = 200;
    List<TableRow> found = new ArrayList<>();
    TableRow after = null;
    List<TableRow> page;
    do {
      page = indexed(kind, indexKey, after, size);
      for (TableRow row : page) {
        if (!row.indexKey().equals(indexKey)) {
          return found;
        }
        found.add(row);
        after = row;
      }
    } while (page.size() == size);
    return found;
  }
}
