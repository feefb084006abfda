package dev.damask.store.rocksdb;

import dev.damask.simulation.FactHistories;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Attributes on RocksDB.
@Timeout(120)
final class FactKeysTest {
  @TempDir private Path folder;

  @Test
  void the_index_answers_as_a_scan_does_after_random_histories() {
    for (long seed = 100; seed < 112; seed++) {
      Path store = folder.resolve("s" + seed);
      FactHistories.check(seed, () -> RocksStore.open(store));
    }
  }
}
