package dev.damask.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The tests that the table of every store must pass. A test class of a store implements this
/// interface and adds its own tests.
public interface TableContract {
  /// Keys and index keys that a careless encoding would confuse or order wrongly.
  List<String> WORDS =
      List.of("", "a", "a\0", "a\0b", "a\u0001", "b", "ab", "\uffff", "\ud83d\ude00", "é");

  /// Opens the store of the test. A further call opens the same store again, after it was closed.
  Store open();

  /// A row whose value is its version.
  static TableRow row(String kind, String key, long version, String index) {
    return new TableRow(kind, key, version, Bytes.of((byte) version), index);
  }

  /// Commits rows and waits until they are durable.
  static void put(Store store, TableRow... rows) {
    List<RowChange> changes = new ArrayList<>();
    for (TableRow row : rows) {
      changes.add(new RowChange.Put(row));
    }
    store.commit(CommitBatch.ofRows(changes)).join();
  }

  @Test
  default void the_latest_version_comes_first_and_keys_are_in_order() {
    TableRow one = row("graph", "g", 1, "");
    TableRow two = row("graph", "g", 2, "");
    TableRow longer = row("graph", "g2", 9, "");
    TableRow other = row("rule", "g", 7, "");
    try (Store store = open()) {
      put(store, longer, one, other, two);
      Table table = store.table();

      assertEquals(Optional.of(two), table.latest("graph", "g"));
      assertEquals(Optional.of(one), table.find("graph", "g", 1));
      assertEquals(Optional.empty(), table.find("graph", "g", 3));
      assertEquals(Optional.empty(), table.latest("graph", "h"));
      assertEquals(List.of(two, one), table.versions("graph", "g", 10));
      assertEquals(List.of(two, one, longer), table.rows("graph", null, 10));
      assertEquals(List.of(one), table.rows("graph", two, 1));
      assertEquals(List.of(longer), table.rows("graph", one, 10));
    }
  }

  @Test
  default void an_index_finds_rows_by_prefix_page_by_page() {
    TableRow late = row("s", "eve", 1, "t1");
    TableRow early = row("s", "bob", 1, "t2");
    TableRow same = row("s", "eve", 2, "t2");
    try (Store store = open()) {
      put(store, late, early, same, row("s", "eve", 3, ""), row("s", "eve", 4, "u"));
      Table table = store.table();

      assertEquals(List.of(late, early, same), table.indexed("s", "t", null, 10));
      assertEquals(List.of(early), table.indexed("s", "t", late, 1));
      assertEquals(List.of(early, same), table.indexed("s", "t2", null, 10));
      assertEquals(List.of(), table.indexed("s", "t3", null, 10));
      assertEquals(List.of(early, same), table.allIndexed("s", "t2"));
      assertEquals(List.of(), table.allIndexed("s", "t"));
    }
  }

  @Test
  default void a_row_is_replaced_found_after_reopening_and_removed_with_its_index_entry() {
    TableRow first = row("s", "eve", 1, "x");
    TableRow second = new TableRow("s", "eve", 1, Bytes.of((byte) 5), "x");
    try (Store store = open()) {
      put(store, first);
      put(store, second);
      assertEquals(List.of(second), store.table().rows("s", null, 10));
    }

    try (Store store = open()) {
      assertEquals(List.of(second), store.table().rows("s", null, 10));
      assertEquals(List.of(second), store.table().indexed("s", "x", null, 10));

      store.commit(CommitBatch.ofRows(List.of(new RowChange.Remove(second)))).join();

      assertEquals(List.of(), store.table().rows("s", null, 10));
      assertEquals(List.of(), store.table().indexed("s", "", null, 10));
      assertEquals(List.of(), store.verify());
    }
  }

  @Test
  default void the_table_has_what_memory_has_after_random_changes() {
    SplittableRandom random = new SplittableRandom(16);
    Map<String, TableRow> known = new TreeMap<>();
    Store memory = new MemoryStore();
    try (Store store = open()) {
      for (int i = 0; i < 300; i++) {
        CommitBatch batch = CommitBatch.ofRows(changes(random, known, i));
        memory.commit(batch).join();
        var done = store.commit(batch);
        if (i % 10 == 0) { // the batches in between may share a transaction
          done.join();
        }
      }
      store.commit(new CommitBatch(List.of())).join();

      for (String kind : List.of("k0", "k1", "k-1")) {
        List<TableRow> expected = memory.table().rows(kind, null, 99);
        assertEquals(expected, store.table().rows(kind, null, 99));
        assertEquals(expected, paged(after -> store.table().rows(kind, after, 3)));
        for (String word : WORDS) {
          List<TableRow> indexed = memory.table().indexed(kind, word, null, 99);
          assertEquals(indexed, store.table().indexed(kind, word, null, 99), word);
          assertEquals(indexed, paged(after -> store.table().indexed(kind, word, after, 3)), word);
          assertEquals(
              memory.table().versions(kind, word, 99), store.table().versions(kind, word, 99));
        }
      }
      assertEquals(List.of(), store.verify());
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
  default void rows_with_the_longest_keys_are_stored_and_longer_ones_are_refused() {
    SplittableRandom random = new SplittableRandom(3); // a store may compress what repeats
    StringBuilder key = new StringBuilder();
    while (key.length() < RowChange.Put.KEYS_BYTES_MAX / 2 - 1) {
      key.append((char) random.nextInt(1, 128));
    }
    TableRow longest = row("k", key.toString(), 1, key + "k");
    try (Store store = open()) {
      put(store, longest);

      assertEquals(List.of(longest), store.table().indexed("k", key.toString(), null, 9));
      TableRow tooLong = row("k", key.toString(), 1, key + "kk");
      var refused = assertThrows(IllegalArgumentException.class, () -> put(store, tooLong));
      assertTrue(
          String.valueOf(refused.getMessage()).contains("at most 2000 bytes, these have 2001"),
          refused::toString);
      put(store, row("k", "next", 1, ""));
    }
  }
}
