package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Rows by kind, key and version, in PostgreSQL. The cases are those of the other stores.
@Timeout(60)
final class PostgresTableTest {
  private static final List<String> WORDS =
      List.of("", "a", "a\0", "a\0b", "a\u0001", "b", "ab", "\uffff", "\ud83d\ude00", "é");

  private final PostgresOptions options = TestServer.schema();

  private PostgresStore store() {
    return PostgresStore.open(TestServer.source(), options);
  }

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

  @Test
  void the_latest_version_comes_first_and_keys_are_in_order() {
    TableRow one = row("graph", "g", 1, "");
    TableRow two = row("graph", "g", 2, "");
    TableRow longer = row("graph", "g2", 9, "");
    TableRow other = row("rule", "g", 7, "");
    try (Store store = store()) {
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

  @Test
  void an_index_finds_rows_by_prefix_page_by_page() {
    TableRow late = row("s", "eve", 1, "t1");
    TableRow early = row("s", "bob", 1, "t2");
    TableRow same = row("s", "eve", 2, "t2");
    try (Store store = store()) {
      put(store, late, early, same, row("s", "eve", 3, ""), row("s", "eve", 4, "u"));
      Table table = store.table();

      assertThat(table.indexed("s", "t", null, 10)).containsExactly(late, early, same);
      assertThat(table.indexed("s", "t", late, 1)).containsExactly(early);
      assertThat(table.indexed("s", "t2", null, 10)).containsExactly(early, same);
      assertThat(table.indexed("s", "t3", null, 10)).isEmpty();
    }
  }

  @Test
  void a_row_is_replaced_removed_and_found_by_the_next_engine() {
    TableRow first = row("s", "eve", 1, "x");
    TableRow second = new TableRow("s", "eve", 1, Bytes.of((byte) 5), "x");
    try (Store store = store()) {
      put(store, first);
      put(store, second);
    }
    try (Store store = store()) {
      assertThat(store.table().rows("s", null, 10)).containsExactly(second);
      assertThat(store.table().indexed("s", "x", null, 10)).containsExactly(second);

      store.commit(CommitBatch.ofRows(List.of(new RowChange.Remove(second)))).join();

      assertThat(store.table().rows("s", null, 10)).isEmpty();
      assertThat(store.table().indexed("s", "", null, 10)).isEmpty();
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void the_database_has_what_memory_has() {
    SplittableRandom random = new SplittableRandom(16);
    Map<String, TableRow> known = new TreeMap<>();
    Store memory = new MemoryStore();
    try (Store disk = store()) {
      for (int i = 0; i < 300; i++) {
        CommitBatch batch = CommitBatch.ofRows(changes(random, known, i));
        memory.commit(batch).join();
        var done = disk.commit(batch);
        if (i % 10 == 0) { // in between, batches share a transaction
          done.join();
        }
      }
      disk.commit(new CommitBatch(List.of())).join();

      for (String kind : List.of("k0", "k1", "k-1")) {
        assertThat(paged(after -> disk.table().rows(kind, after, 3)))
            .isEqualTo(memory.table().rows(kind, null, 99));
        for (String word : WORDS) {
          assertThat(paged(after -> disk.table().indexed(kind, word, after, 3)))
              .as(word)
              .isEqualTo(memory.table().indexed(kind, word, null, 99));
          assertThat(disk.table().versions(kind, word, 99))
              .isEqualTo(memory.table().versions(kind, word, 99));
        }
      }
      assertThat(disk.verify()).isEmpty();
    }
  }

  private static List<RowChange> changes(
      SplittableRandom random, Map<String, TableRow> known, int i) {
    String key = WORDS.get(random.nextInt(WORDS.size()));
    long version = random.nextInt(5) - 2L;
    String id = key + " " + version;
    TableRow old = known.remove(id);
    List<RowChange> changes = new ArrayList<>();
    if (old != null) {
      changes.add(new RowChange.Remove(old));
    }
    if (old == null || random.nextBoolean()) {
      String index = WORDS.get(random.nextInt(WORDS.size()));
      TableRow row = new TableRow("k" + version % 2, key, version, Bytes.of((byte) i), index);
      changes.add(new RowChange.Put(row));
      known.put(id, row);
    }
    return changes;
  }

  /// Reads page by page until a page is empty.
  private static List<TableRow> paged(Function<@Nullable TableRow, List<TableRow>> page) {
    List<TableRow> all = new ArrayList<>();
    List<TableRow> next = page.apply(null);
    while (!next.isEmpty()) {
      all.addAll(next);
      next = page.apply(next.getLast());
    }
    return all;
  }

  @Test
  void a_changed_row_is_corrupt_and_verification_names_it() {
    try (Store store = store()) {
      put(store, row("s", "eve", 1, "x"), row("s", "eve", 2, "y"), row("s", "bob", 1, ""));
      assertThat(store.verify()).isEmpty();

      TestServer.execute(
          "update %s.rows set bytes = '\\x07' where version = 2".formatted(options.schema()));
      TestServer.execute(
          "update %s.rows set key = '\\xff' where key = 'bob'".formatted(options.schema()));

      assertThat(store.verify())
          .satisfiesExactlyInAnyOrder(
              problem -> assertThat(problem).contains("s 'eve' version 2").contains("corrupt"),
              problem -> assertThat(problem).contains("version 1").contains("corrupt"));
      assertThat(store.table().find("s", "eve", 1)).isPresent();
      assertThatThrownBy(() -> store.table().find("s", "eve", 2))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("checksum mismatch");
    }
  }

  @Test
  void rows_with_the_longest_keys_are_stored_and_longer_ones_are_refused_before_the_commit() {
    SplittableRandom random = new SplittableRandom(3); // the server compresses what repeats
    StringBuilder key = new StringBuilder();
    while (key.length() < RowChange.Put.KEYS_BYTES_MAX / 2 - 1) {
      key.append((char) random.nextInt(1, 128));
    }
    TableRow longest = row("k", key.toString(), 1, key + "k");
    try (Store store = store()) {
      put(store, longest);

      assertThat(store.table().indexed("k", key.toString(), null, 9)).containsExactly(longest);
      assertThatThrownBy(() -> put(store, row("k", key.toString(), 1, key + "kk")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at most 2000 bytes, these have 2001");
      put(store, row("k", "next", 1, ""));
    }
  }
}
