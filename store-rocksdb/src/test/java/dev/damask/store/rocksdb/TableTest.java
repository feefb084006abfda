package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/// Rows by kind, key and version, in memory and on disk.
final class TableTest {
  private static final List<String> WORDS =
      List.of("", "a", "a\0", "a\0b", "a\u0001", "b", "ab", "\uffff", "\ud83d\ude00", "é");

  @TempDir Path folder;

  private static TableRow row(String kind, String key, long version, String index) {
    return new TableRow(kind, key, version, Bytes.of((byte) version), index);
  }

  private static void put(Store store, TableRow... rows) {
    List<RowChange> changes = new ArrayList<>();
    for (TableRow row : rows) {
      changes.add(new RowChange.Put(row));
    }
    store.commit(CommitBatch.ofRows(changes)).join();
  }

  private static void remove(Store store, TableRow row) {
    store.commit(CommitBatch.ofRows(List.of(new RowChange.Remove(row)))).join();
  }

  private List<Store> stores() {
    return List.of(new MemoryStore(), RocksStore.open(folder));
  }

  @Test
  void the_latest_version_comes_first_and_keys_are_in_order() {
    TableRow one = row("graph", "g", 1, "");
    TableRow two = row("graph", "g", 2, "");
    TableRow longer = row("graph", "g2", 9, "");
    TableRow other = row("rule", "g", 7, "");
    for (Store store : stores()) {
      try (store) {
        put(store, longer, one, other, two);
        Table table = store.table();

        assertThat(table.latest("graph", "g")).hasValue(two);
        assertThat(table.find("graph", "g", 1)).hasValue(one);
        assertThat(table.find("graph", "g", 3)).isEmpty();
        assertThat(table.latest("graph", "h")).isEmpty();
        assertThat(table.versions("graph", "g", 10)).containsExactly(two, one);
        assertThat(table.rows("graph", null, 10)).containsExactly(two, one, longer);
        assertThat(table.rows("graph", two, 1)).containsExactly(one);
        assertThat(table.rows("graph", one, 10)).containsExactly(longer);
      }
    }
  }

  @Test
  void an_index_finds_rows_by_prefix_page_by_page() {
    TableRow late = row("s", "eve", 1, "t1");
    TableRow early = row("s", "bob", 1, "t2");
    TableRow same = row("s", "eve", 2, "t2");
    for (Store store : stores()) {
      try (store) {
        put(store, late, early, same, row("s", "eve", 3, ""), row("s", "eve", 4, "u"));
        Table table = store.table();

        assertThat(table.indexed("s", "t", null, 10)).containsExactly(late, early, same);
        assertThat(table.indexed("s", "t", late, 1)).containsExactly(early);
        assertThat(table.indexed("s", "t2", null, 10)).containsExactly(early, same);
        assertThat(table.indexed("s", "t3", null, 10)).isEmpty();
      }
    }
  }

  @Test
  void a_row_is_replaced_and_removed_with_its_index_entry() {
    TableRow first = row("s", "eve", 1, "x");
    TableRow second = new TableRow("s", "eve", 1, Bytes.of((byte) 5), "x");
    for (Store store : stores()) {
      try (store) {
        put(store, first);
        put(store, second);
        assertThat(store.table().rows("s", null, 10)).containsExactly(second);

        remove(store, second);

        assertThat(store.table().rows("s", null, 10)).isEmpty();
        assertThat(store.table().indexed("s", "", null, 10)).isEmpty();
        assertThat(store.verify()).isEmpty();
      }
    }
  }

  @Test
  void rows_are_there_after_the_store_was_opened_again() {
    TableRow row = row("graph", "g", 1, "hash");
    try (Store store = RocksStore.open(folder)) {
      put(store, row);
    }

    try (Store store = RocksStore.open(folder)) {
      assertThat(store.table().rows("graph", null, 10)).containsExactly(row);
      assertThat(store.table().indexed("graph", "ha", null, 10)).containsExactly(row);
    }
  }

  @Test
  void the_disk_has_what_memory_has() {
    SplittableRandom random = new SplittableRandom(16);
    Map<String, TableRow> known = new TreeMap<>();
    Store memory = new MemoryStore();
    try (Store disk = RocksStore.open(folder)) {
      for (int i = 0; i < 300; i++) {
        String key = WORDS.get(random.nextInt(WORDS.size()));
        long version = random.nextInt(5) - 2L;
        String id = key + " " + version;
        TableRow old = known.get(id);
        List<RowChange> changes = new ArrayList<>();
        if (old != null) {
          changes.add(new RowChange.Remove(old));
          known.remove(id);
        }
        if (old == null || random.nextBoolean()) {
          TableRow row =
              new TableRow(
                  "k" + version % 2,
                  key,
                  version,
                  Bytes.of((byte) i),
                  WORDS.get(random.nextInt(WORDS.size())));
          changes.add(new RowChange.Put(row));
          known.put(id, row);
        }
        CommitBatch batch = CommitBatch.ofRows(changes);
        memory.commit(batch).join();
        disk.commit(batch).join();
      }

      for (String kind : List.of("k0", "k1", "k-1")) {
        assertThat(disk.table().rows(kind, null, 99))
            .isEqualTo(memory.table().rows(kind, null, 99));
        for (String word : WORDS) {
          assertThat(disk.table().indexed(kind, word, null, 99))
              .as(word)
              .isEqualTo(memory.table().indexed(kind, word, null, 99));
          assertThat(disk.table().versions(kind, word, 99))
              .isEqualTo(memory.table().versions(kind, word, 99));
        }
      }
      assertThat(disk.verify()).isEmpty();
    }
  }

  @Test
  void verification_finds_an_index_entry_without_a_row() throws Exception {
    TableRow row = row("s", "eve", 1, "x");
    try (Store store = RocksStore.open(folder)) {
      put(store, row, row("s", "eve", 2, "y"));
    }
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, folder.resolve("data").toString())) {
      db.delete(TableKeys.row(row));
      db.delete(TableKeys.index(row("s", "eve", 2, "y")));
    }

    try (Store store = RocksStore.open(folder)) {
      assertThat(store.verify())
          .satisfiesExactlyInAnyOrder(
              problem -> assertThat(problem).contains("entry without a row"),
              problem -> assertThat(problem).contains("'eve' version 2 is missing in the index"));
    }
  }

  @Test
  void a_row_without_a_kind_or_with_half_a_character_is_refused() {
    assertThatThrownBy(() -> row("", "k", 1, "")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> row("k", "\ud800", 1, ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unpaired surrogate");
  }
}
