package dev.damask.store;

import java.util.Collection;
import java.util.List;

/// Counts the rows of a kind of the store's [Table].
public final class RowCounts {
  private static final int PAGE = 500;

  private RowCounts() {}

  /// Returns how many rows of a kind a store has.
  public static long of(Store store, String kind) {
    long count = 0;
    TableRow last = null;
    List<TableRow> page;
    do {
      page = store.table().rows(kind, last, PAGE);
      count += page.size();
      last = page.isEmpty() ? last : page.getLast();
    } while (page.size() == PAGE);
    return count;
  }

  /// Returns how many more rows of a kind there are after changes. Every row that is put must be
  /// new, and every row that is removed must exist.
  public static int difference(Collection<RowChange> changes, String kind) {
    int count = 0;
    for (RowChange change : changes) {
      if (change.row().kind().equals(kind)) {
        count += change instanceof RowChange.Put ? 1 : -1;
      }
    }
    return count;
  }
}
