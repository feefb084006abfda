package dev.damask.store.rocksdb;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoredProgram;
import dev.damask.task.Expression;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/// Cases that go, cases that are damaged, and stores of other versions.
@Timeout(60)
final class RocksLifetimeTest {
  @TempDir Path folder;

  private static WorkflowDefinition waiting() {
    return workflow("waiting", defer(on("go", skip())));
  }

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(20));
  }

  private void edit(byte[] key, byte[] value) throws RocksDBException {
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, folder.resolve("data").toString())) {
      db.put(key, value);
    }
  }

  /// Takes away the end of a state; the record around it decodes.
  private void cutState(String caseId) throws RocksDBException {
    long revision;
    byte[] record;
    try (RocksStore store = RocksStore.open(folder)) {
      revision = Objects.requireNonNull(store.stored(caseId)).record().revision();
      record = store.states(caseId, revision, revision).getFirst().record().bytes();
    }
    edit(Keys.state(caseId, revision), Arrays.copyOf(record, record.length - 1));
  }

  private List<String> keys() throws RocksDBException {
    List<String> keys = new ArrayList<>();
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, folder.resolve("data").toString());
        var iterator = db.newIterator()) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        keys.add(new String(iterator.key(), java.nio.charset.StandardCharsets.ISO_8859_1));
      }
    }
    return keys;
  }

  @Test
  void a_removed_case_leaves_nothing_behind_and_its_key_can_be_used_again() throws Exception {
    Expression key = _ -> "k";
    var flow = workflow("w", effect("pay").key(key), defer(on("go", skip())));
    var handled = options().withHandler("pay", _ -> Map.of("paid", true));
    List<String> before;
    try (var engine = Engine.open(handled.withRetention(Duration.ofMillis(10)), folder, flow)) {
      assertThat(engine.verify()).isEmpty();
    }
    before = keys();
    try (var engine = Engine.open(handled.withRetention(Duration.ofMillis(10)), folder, flow)) {
      engine.start(flow, "one", Context.empty());
      engine.signal("one", "go", Map.of(), "message");
      while (engine.statistics().removed() == 0) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(engine.start(flow, "two", Context.empty()).status().status()).isNotNull();
      assertThat(engine.verify()).isEmpty();
      engine.cancel("two");
      while (engine.statistics().removed() < 2) {
        LockSupport.parkNanos(100_000);
      }
    }
    assertThat(keys()).isEqualTo(before);
  }

  private static void assertIsCorrupt(Engine engine, WorkflowDefinition workflow)
      throws InterruptedException {
    var view = engine.status("bad");
    assertThat(view.status()).isEqualTo(CaseStatus.CORRUPT);
    assertThat(view.report()).singleElement().asString().contains("case bad is corrupt");
    assertThat(engine.await("bad"))
        .isInstanceOfSatisfying(
            CaseResult.Stuck.class,
            stuck -> assertThat(stuck.report().reason()).isEqualTo(CaseResult.Reason.CORRUPT));
    assertRefused(() -> engine.start(workflow, "bad", Context.empty()));
    assertRefused(() -> engine.signal("bad", "go", Map.of()));
    assertRefused(() -> engine.cancel("bad"));
    assertRefused(() -> engine.retry("bad"));
    assertRefused(() -> engine.state("bad"));
    assertThat(engine.list(CaseQuery.ALL).cases())
        .extracting(CaseRecord::caseId, CaseRecord::status)
        .containsExactlyInAnyOrder(
            tuple("good", CaseStatus.WAITING), tuple("bad", CaseStatus.CORRUPT));
    assertThat(engine.list(CaseQuery.ALL.withStatus(CaseStatus.WAITING)).cases())
        .extracting(CaseRecord::caseId)
        .containsExactly("good");
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("case bad is corrupt")
        .hasMessageContaining("verify the store");
  }

  @Test
  void a_case_whose_state_does_not_decode_is_corrupt_and_can_be_salvaged() throws Exception {
    var waiting = waiting();
    try (var engine = Engine.open(options(), folder, waiting)) {
      engine.start(waiting, "good", Context.empty());
      engine.start(waiting, "bad", Context.empty());
    }
    cutState("bad");
    try (var engine = Engine.open(options(), folder, waiting)) {
      assertIsCorrupt(engine, waiting);

      assertThat(engine.salvage("good")).isFalse();
      assertThat(engine.salvage("bad")).isTrue();
      assertThat(engine.start(waiting, "bad", Context.empty()).status().status())
          .isEqualTo(CaseStatus.WAITING);
      assertThat(engine.list(CaseQuery.ALL).cases())
          .extracting(CaseRecord::status)
          .containsOnly(CaseStatus.WAITING);
    }
  }

  @Test
  void verify_finds_a_corrupt_state_that_lists_show_only_after_the_case_was_read()
      throws Exception {
    var waiting = waiting();
    try (var engine = Engine.open(options(), folder, waiting)) {
      engine.start(waiting, "bad", Context.empty());
    }
    cutState("bad");
    try (var engine = Engine.open(options(), folder, waiting)) {
      assertThat(engine.list(CaseQuery.ALL).cases())
          .extracting(CaseRecord::status)
          .containsExactly(CaseStatus.WAITING);
      assertThat(engine.verify()).anyMatch(problem -> problem.startsWith("case bad:"));
      engine.status("bad");

      assertThat(engine.list(CaseQuery.ALL).cases())
          .extracting(CaseRecord::status)
          .containsExactly(CaseStatus.CORRUPT);
      assertThat(engine.list(CaseQuery.ALL.withStatus(CaseStatus.CORRUPT)).cases()).isEmpty();
    }
  }

  @Test
  void a_closed_store_is_not_reached_by_late_readers() throws Exception {
    var engine = Engine.open(options(), folder, waiting());
    RocksStore store = RocksStore.open(folder.resolveSibling("other"));
    engine.close();
    store.close();

    assertThatThrownBy(() -> engine.list(CaseQuery.ALL))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> store.record("one"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> store.list(CaseQuery.ALL)).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> store.backup(folder.resolveSibling("copy"), Store.Backup.COPIES))
        .isInstanceOf(StoreException.class);
  }

  @Test
  void a_function_left_behind_does_not_reach_the_closed_store() throws Exception {
    var began = new CountDownLatch(1);
    var mayReturn = new AtomicBoolean();
    var returned = new CountDownLatch(1);
    var spinning =
        workflow(
            "spinning",
            task(
                "spin",
                context -> {
                  began.countDown();
                  while (!mayReturn.get()) {
                    LockSupport.parkNanos(100_000);
                  }
                  returned.countDown();
                  return context;
                }),
            effect("keyed"));
    var engine = Engine.open(options(), folder, spinning);
    var _ = engine.startAsync(spinning, "one", Context.empty());
    began.await();
    engine.close();
    assertThat(engine.leftBehind()).singleElement().asString().contains("case one");

    try (var next = Engine.open(options(), folder, waiting())) {
      assertThat(next.list(CaseQuery.ALL).cases()).isEmpty(); // its start was not acknowledged
      mayReturn.set(true);
      returned.await();
      next.start(waiting(), "two", Context.empty());
      next.signal("two", "go", Map.of());

      assertThat(next.await("two")).isInstanceOf(CaseResult.Completed.class);
      assertThat(next.verify()).isEmpty();
    }
    try (var store = RocksStore.open(folder)) {
      assertThat(store.suspects()).isEmpty();
    }
  }

  @Test
  void a_damaged_case_is_parked_named_by_verify_and_can_be_salvaged() throws Exception {
    var waiting = waiting();
    try (var engine = Engine.open(options(), folder, waiting)) {
      engine.start(waiting, "good", Context.empty());
      engine.start(waiting, "bad", Context.empty());
    }
    edit(Keys.caseOf("bad"), new byte[] {1, 2, 3});
    try (var engine = Engine.open(options(), folder, waiting)) {
      assertIsCorrupt(engine, waiting);
      assertThat(engine.verify()).anyMatch(line -> line.contains("case bad"));

      engine.signal("good", "go", Map.of());
      assertThat(engine.await("good")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.salvage("good")).isFalse();
      assertThat(engine.salvage("bad")).isTrue();
      assertThat(engine.verify()).isEmpty();
      assertThat(engine.start(waiting, "bad", Context.empty()).status().status())
          .isEqualTo(CaseStatus.WAITING);
    }
  }

  @Test
  void a_store_of_a_newer_format_is_refused_with_what_to_do() throws Exception {
    Engine.open(options(), folder, waiting()).close();
    edit(Keys.meta("format"), new byte[] {RocksStore.FORMAT + 1});

    assertThatThrownBy(() -> Engine.open(options(), folder, waiting()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("use the version that wrote it");
  }

  @Test
  void a_store_of_an_older_format_is_refused_with_what_to_do() throws Exception {
    Engine.open(options(), folder, waiting()).close();
    edit(Keys.meta("format"), new byte[] {RocksStore.OLDEST - 1});

    assertThatThrownBy(() -> Engine.open(options(), folder, waiting()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("finish its cases with the version that wrote it");
  }

  @Test
  void who_was_moving_is_known_to_the_next_process() {
    try (var store = RocksStore.open(folder)) {
      store.moving(3, "order-42");
      store.moving(4, "other");
      store.moving(4, "");
    }
    try (var store = RocksStore.open(folder)) {
      assertThat(store.suspects()).containsExactly("order-42");
    }
    try (var store = RocksStore.open(folder)) {
      assertThat(store.suspects()).isEmpty();
    }
  }

  @Test
  void programs_are_listed_with_their_documents() {
    var program = dev.damask.compile.Compiler.compile(waiting());
    var stored = new StoredProgram(program.hash(), "waiting", Bytes.of(new byte[] {1, 2}));
    try (var store = RocksStore.open(folder)) {
      store.commit(CommitBatch.of(List.of(stored))).join();

      assertThat(store.programs()).containsExactly(stored);
      assertThat(store.hasRoom()).isTrue();
    }
  }
}
