package dev.damask.store.rocksdb;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.history.HistoryPolicy;
import dev.damask.store.CaseCommit;
import dev.damask.store.CommitBatch;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.testkit.ForwardingStore;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;

/// States that a commit makes superfluous are deleted one by one: each range that is deleted costs
/// every later read of the memtable.
final class RemovedStatesTest {
  private static final int SIGNALS = 300;

  private final List<CaseCommit> commits = Collections.synchronizedList(new ArrayList<>());

  @TempDir Path folder;

  /// Keeps what is committed.
  private final class Listening extends ForwardingStore {
    Listening() {
      super(RocksStore.open(folder));
    }

    @Override
    public CompletableFuture<Void> commit(CommitBatch batch) {
      commits.addAll(batch.cases());
      return super.commit(batch);
    }

    @Override
    public CompletableFuture<Void> commitHere(CommitBatch batch) {
      return commit(batch);
    }
  }

  @Test
  void states_of_earlier_revisions_are_deleted_one_by_one() throws Exception {
    WorkflowDefinition counting =
        workflow(
                "counting", repeat(SIGNALS, defer(on("go", task("note", c -> c.with("on", true))))))
            .withPlaces(Place.external("go"));
    EngineOptions options = EngineOptions.defaults().withHistory(HistoryPolicy.LAST);
    try (Engine engine = Engine.open(options, new Listening(), counting)) {
      engine.start(counting, "one", Context.empty());
      for (int i = 0; i < SIGNALS; i++) {
        engine.signal("one", "go", Map.of("n", i));
      }
      engine.await("one");
    }

    StoredCase stored = null;
    for (CaseCommit commit : commits) {
      StoredCase next = StoredCase.after(stored, commit);
      WriteBatchBytes out = new WriteBatchBytes();
      Changes.put(out, stored, next, commit);
      stored = next;
      try (WriteBatch batch = new WriteBatch(out.toBytes())) {
        assertThat(batch.hasDeleteRange()).isFalse();
      }
    }
    assertThat(commits).hasSizeGreaterThan(SIGNALS);
    assertThat(states()).isBetween(1, SIGNALS / 2);
  }

  private int states() throws RocksDBException {
    int count = 0;
    try (RocksDB db = RocksDB.openReadOnly(folder.resolve("data").toString());
        RocksIterator each = db.newIterator()) {
      for (each.seek(new byte[] {Keys.STATE});
          each.isValid() && each.key()[0] == Keys.STATE;
          each.next()) {
        count++;
      }
    }
    return count;
  }
}
