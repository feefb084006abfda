package dev.damask.store.rocksdb;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.MigrationResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.event.Mapping;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/// The cases of one workflow are listed without reading the others, also in a store that an older
/// version has written.
@Timeout(60)
final class WorkflowIndexTest {
  private static final int COMMON = 300;

  @TempDir Path folder;

  private static WorkflowDefinition waiting(String name) {
    return workflow(name, defer(on("go", skip())));
  }

  @BeforeEach
  void fill() throws Exception {
    WorkflowDefinition common = waiting("common");
    WorkflowDefinition rare = waiting("rare");
    WorkflowDefinition longer = waiting("rare2"); // begins with the name of the other one
    EngineOptions options = EngineOptions.defaults().withShards(1);
    try (Engine engine = Engine.open(options, folder, common, rare, longer)) {
      for (int i = 0; i < COMMON; i++) {
        engine.start(common, "a-" + i, Context.empty());
      }
      for (int i = 0; i < 5; i++) {
        engine.start(rare, "r-" + i, Context.empty());
        engine.start(longer, "l-" + i, Context.empty());
      }
      engine.signal("r-3", "go", Map.of());
      var _ = engine.await("r-3");
      engine.signal("r-4", "go", Map.of());
      var _ = engine.await("r-4");
      assertThat(engine.delete("r-4")).isTrue();
    }
  }

  private static List<String> ids(RocksStore store, CaseQuery query) {
    List<String> ids = new ArrayList<>();
    String next = "";
    do {
      CasePage page = store.list(query.withPage(next, 2));
      page.cases().stream().map(CaseRecord::caseId).forEach(ids::add);
      next = page.next();
    } while (!next.isEmpty());
    return ids;
  }

  private static void assertListed(RocksStore store) {
    CaseQuery rare = CaseQuery.ALL.withWorkflow("rare");

    assertThat(ids(store, rare)).containsExactly("r-0", "r-1", "r-2", "r-3");
    assertThat(ids(store, rare.withStatus(CaseStatus.WAITING)))
        .containsExactly("r-0", "r-1", "r-2");
    assertThat(ids(store, rare.withStatus(CaseStatus.COMPLETED))).containsExactly("r-3");
    assertThat(ids(store, rare.withStatus(CaseStatus.CORRUPT))).isEmpty();
    assertThat(ids(store, CaseQuery.ALL.withWorkflow("common"))).hasSize(COMMON);
    assertThat(ids(store, CaseQuery.ALL.withWorkflow("none"))).isEmpty();
    assertThat(store.verify()).isEmpty();
  }

  @Test
  void a_list_of_one_workflow_reads_its_own_cases_only() {
    try (RocksStore store = RocksStore.open(folder)) {
      int[] read = {0};
      Verification.Scan scan =
          (prefix, from, action) -> {
            assertThat(prefix[0]).isEqualTo(Keys.LISTED);
            boolean isOpen = true;
            for (int i = 0; i < 4 && isOpen; i++) {
              byte[] key = Keys.listed(store.record("r-" + i).orElseThrow());
              assertThat(Keys.startsWith(key, prefix)).isTrue();
              isOpen = action.test(key, new byte[0]);
            }
          };
      CasePage page =
          CaseList.read(
              scan,
              id -> {
                read[0]++;
                return Optional.of(store.record(id).orElseThrow());
              },
              CaseQuery.ALL.withWorkflow("rare"));

      assertThat(page.cases()).hasSize(4);
      assertThat(read[0]).isEqualTo(4);
      assertListed(store);
    }
  }

  @Test
  void a_case_that_migrates_to_another_workflow_is_listed_there() throws Exception {
    WorkflowDefinition rare = waiting("rare");
    WorkflowDefinition other = waiting("other");
    EngineOptions options = EngineOptions.defaults().withShards(1);
    try (Engine engine =
        Engine.open(options, folder, waiting("common"), rare, waiting("rare2"), other)) {
      assertThat(engine.migrate("r-0", other, Mapping.NONE))
          .isInstanceOf(MigrationResult.Moved.class);
      assertThat(engine.status("r-0").status()).isEqualTo(CaseStatus.WAITING);
    }

    try (RocksStore store = RocksStore.open(folder)) {
      assertThat(ids(store, CaseQuery.ALL.withWorkflow("other"))).containsExactly("r-0");
      assertThat(ids(store, CaseQuery.ALL.withWorkflow("rare"))).doesNotContain("r-0");
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void a_corrupt_case_does_not_keep_the_index_from_being_filled() throws Exception {
    edit(db -> {
      db.put(Keys.caseOf("r-1"), new byte[] {1, 2, 3});
      db.delete(Keys.meta(WorkflowIndex.MARK));
    });

    try (RocksStore store = RocksStore.open(folder)) {
      assertThat(ids(store, CaseQuery.ALL.withWorkflow("rare"))).contains("r-0", "r-2", "r-3");
    }
  }

  private interface Edit {
    void run(RocksDB db) throws RocksDBException;
  }

  private void edit(Edit edit) throws RocksDBException {
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, folder.resolve("data").toString())) {
      edit.run(db);
    }
  }

  @Test
  void a_store_of_an_older_version_gets_its_index_when_it_is_opened() throws Exception {
    edit(db -> {
      db.deleteRange(new byte[] {Keys.LISTED}, new byte[] {Keys.LISTED + 1});
      db.delete(Keys.meta(WorkflowIndex.MARK));
    });

    try (RocksStore store = RocksStore.open(folder)) {
      assertListed(store);
    }
  }

  @Test
  void an_index_that_an_older_version_left_behind_is_replaced() throws Exception {
    edit(db -> {
      db.put(Keys.listed("rare", CaseStatus.WAITING.number(), 5, "gone"), new byte[0]);
      db.put(Keys.meta("epoch"), Keys.natural(77)); // it has opened the store since
    });

    try (RocksStore store = RocksStore.open(folder)) {
      assertThat(store.epoch()).isEqualTo(78);
      assertListed(store);
    }
  }

  @Test
  void a_missing_and_a_stale_key_are_reported() throws Exception {
    byte[][] key = new byte[1][];
    try (RocksStore store = RocksStore.open(folder)) {
      key[0] = Keys.listed(store.record("r-0").orElseThrow());
    }
    edit(db -> {
      db.delete(key[0]);
      db.put(Keys.listed("rare", CaseStatus.WAITING.number(), 5, "gone"), new byte[0]);
    });

    try (RocksStore store = RocksStore.open(folder)) {
      assertThat(store.verify())
          .anyMatch(line -> line.contains("case r-0 is missing in the workflow index"))
          .anyMatch(line -> line.contains("workflow index: key without a case"));
    }
  }
}
