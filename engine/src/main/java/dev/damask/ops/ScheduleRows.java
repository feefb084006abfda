package dev.damask.ops;

import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Lists the rows of the schedules of a store: those that can be read, and those that cannot.
final class ScheduleRows {
  private static final int PAGE = 256;

  private ScheduleRows() {}

  static List<ScheduleView> list(Store store) {
    List<ScheduleView> all = new ArrayList<>();
    read(store, row -> all.add(row.view()), (_, _) -> {});
    return all;
  }

  static NavigableMap<String, String> corrupt(Store store) {
    NavigableMap<String, String> corrupt = new TreeMap<>();
    read(store, _ -> {}, corrupt::put);
    return corrupt;
  }

  private static void read(
      Store store, Consumer<ScheduleRow> readable, BiConsumer<String, String> corrupt) {
    TableRow after = null;
    List<TableRow> page;
    do {
      page = store.table().rows(ScheduleRow.KIND, after, PAGE);
      for (TableRow row : page) {
        after = row;
        try {
          readable.accept(ScheduleRow.of(row));
        } catch (StoreException e) {
          corrupt.accept(row.key(), String.valueOf(e.getMessage()));
        }
      }
    } while (page.size() == PAGE);
  }
}
