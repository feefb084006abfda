package dev.damask.store.rocksdb;

import static dev.damask.contract.TableContract.put;
import static dev.damask.contract.TableContract.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.contract.TableContract;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/// Rows by kind, key and version, on disk.
final class TableTest implements TableContract {
  @TempDir Path folder;

  @Override
  public Store open() {
    return RocksStore.open(folder);
  }

  @Test
  void verification_finds_an_index_entry_without_a_row() throws Exception {
    TableRow row = row("s", "eve", 1, "x");
    try (Store store = open()) {
      put(store, row, row("s", "eve", 2, "y"));
    }
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, folder.resolve("data").toString())) {
      db.delete(TableKeys.row(row));
      db.delete(TableKeys.index(row("s", "eve", 2, "y")));
    }

    try (Store store = open()) {
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
