package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.store.AuditEntry;
import dev.damask.store.AuditRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The audit log on disk.
final class AuditRowsTest {
  @TempDir Path folder;

  private static void add(Store store, String actor) {
    AuditEntry entry = new AuditEntry(5, actor, "signal", "one", "go", "accepted", "");
    store.commit(CommitBatch.ofAudit(List.of(entry))).join();
  }

  @Test
  void entries_keep_their_order_across_openings() {
    for (String actor : List.of("a", "b", "c")) {
      try (Store store = RocksStore.open(folder)) {
        add(store, actor + 1);
        add(store, actor + 2);
      }
    }
    try (Store store = RocksStore.open(folder)) {
      List<AuditRecord> all = store.audit("", 100);

      assertThat(all.stream().map(each -> each.entry().actor()))
          .containsExactly("a1", "a2", "b1", "b2", "c1", "c2");
      assertThat(store.audit(all.get(3).cursor(), 1).getFirst().entry().actor()).isEqualTo("c1");
    }
  }
}
