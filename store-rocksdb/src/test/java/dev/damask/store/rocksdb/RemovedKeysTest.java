package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/// How the keys of a removed case are deleted: one by one if there are few of a kind.
final class RemovedKeysTest {
  @TempDir Path folder;

  private boolean hasRange(int revisions, boolean isWritten) throws RocksDBException {
    Verification.Scan scan =
        (prefix, _, action) -> {
          for (int i = 0; i < revisions; i++) {
            byte[] key = ByteBuffer.allocate(prefix.length + 4).put(prefix).putInt(i).array();
            if (prefix[0] == Keys.STATE && !action.test(key, key)) {
              return;
            }
          }
        };
    WriteBatchBytes out = new WriteBatchBytes();
    try (RocksStore store = RocksStore.open(folder)) {
      new Changes(store, scan, _ -> null).remove(out, "one", isWritten);
    }
    try (WriteBatch batch = new WriteBatch(out.toBytes())) {
      assertThat(batch.count()).isPositive();
      return batch.hasDeleteRange();
    }
  }

  @Test
  void a_case_of_a_few_revisions_is_removed_key_by_key() throws Exception {
    assertThat(hasRange(256, true)).isFalse();
  }

  @Test
  void a_case_of_many_revisions_is_removed_as_a_range() throws Exception {
    assertThat(hasRange(257, true)).isTrue();
  }

  @Test
  void a_case_that_the_same_batch_writes_is_removed_as_a_range() throws Exception {
    assertThat(hasRange(3, false)).isTrue();
  }
}
