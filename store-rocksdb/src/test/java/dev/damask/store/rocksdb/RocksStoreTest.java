package dev.damask.store.rocksdb;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.event.Reply;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.StoreException;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What is on the disk is what was acknowledged.
@Timeout(60)
final class RocksStoreTest {
  private static final int WAITING_BYTES_MAX = 300;

  @TempDir Path folder;

  private static WorkflowDefinition waiting() {
    return workflow(
        "waiting",
        defer(
            on("go", task("end", c -> c.with("ended", true))), after(Duration.ofDays(2), skip())));
  }

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(2).withGrace(Duration.ofMillis(20));
  }

  @Test
  void a_case_goes_on_in_the_next_engine() throws InterruptedException {
    var waiting = waiting();
    try (var engine = Engine.open(folder, waiting)) {
      engine.start(waiting, "one", Context.of("n", 1));
    }
    try (var engine = Engine.open(folder, waiting)) {
      assertThat(engine.signal("one", "go", Map.of(), "m").kind()).isEqualTo(Reply.ACCEPTED);
    }
    try (var engine = Engine.open(folder, waiting)) {
      assertThat(engine.await("one"))
          .isEqualTo(new CaseResult.Completed<>(Context.of("n", 1, "ended", true)));
      assertThat(engine.signal("one", "go", Map.of(), "m").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void what_was_acknowledged_is_in_a_copy_taken_at_that_moment() throws Exception {
    var waiting = waiting();
    Path copy = folder.resolveSibling(folder.getFileName() + "-copy");
    try (var engine = Engine.open(options(), folder.resolve("store"), waiting)) {
      engine.start(waiting, "one", Context.empty());
      engine.start(waiting, "two", Context.empty());
      engine.signal("two", "go", Map.of());
      copy(folder.resolve("store"), copy);
    }
    try (var engine = Engine.open(options(), copy, waiting)) {
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
      assertThat(engine.status("two").status()).isEqualTo(CaseStatus.COMPLETED);
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void an_effect_that_was_under_way_in_a_crash_is_called_again_with_its_key() throws Exception {
    Semaphore called = new Semaphore(0);
    var ask = workflow("ask", effect("ask"));
    Path copy = folder.resolveSibling(folder.getFileName() + "-copy");
    String[] keys = new String[2];
    var hanging =
        options()
            .withHandler(
                "ask",
                call -> {
                  keys[0] = call.key();
                  called.release();
                  Thread.sleep(Duration.ofMinutes(1));
                  return null;
                });
    try (var engine = Engine.open(hanging, folder.resolve("store"), ask)) {
      engine.start(ask, "one", Context.empty());
      called.acquire();
      copy(folder.resolve("store"), copy);
    }
    var answering =
        options()
            .withHandler(
                "ask",
                call -> {
                  keys[1] = call.key();
                  return Map.of("n", 1);
                });
    try (var engine = Engine.open(answering, copy, ask)) {
      assertThat(engine.await("one")).isEqualTo(new CaseResult.Completed<>(Context.of("n", 1)));
      assertThat(keys[1]).isEqualTo(keys[0]);
    }
  }

  @Test
  void a_second_engine_on_the_folder_is_told_who_holds_it() {
    try (var engine = Engine.open(folder, waiting())) {
      assertThatThrownBy(() -> Engine.open(folder, waiting()))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("in use by process " + ProcessHandle.current().pid())
          .hasMessageContaining("close that engine first");
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void a_stale_revision_is_refused_and_nothing_is_written_after_it() {
    var waiting = waiting();
    try (var engine = Engine.open(folder, waiting)) {
      engine.start(waiting, "one", Context.empty());
    }
    try (RocksStore store = RocksStore.open(folder)) {
      CaseRecord record = store.record("one").orElseThrow();
      var commit =
          new dev.damask.store.CaseCommit(
              record, List.of(), List.of(), List.of(), List.of(), List.of(), new byte[0]);

      assertThat(store.commit(new CommitBatch(List.of(commit))))
          .failsWithin(Duration.ofSeconds(10))
          .withThrowableThat()
          .withMessageContaining("expected revision 2, got 1");
      assertThat(store.commit(new CommitBatch(List.of()))).failsWithin(Duration.ofSeconds(10));
    }
  }

  @Test
  void a_waiting_case_with_three_keys_is_small() {
    var waiting = waiting();
    Context context = Context.of("name", "eve", "n", 42).with("open", true);
    try (var engine = Engine.open(folder, waiting)) {
      engine.start(waiting, "order-000042", context);
    }
    try (RocksStore store = RocksStore.open(folder)) {
      CaseRecord record = store.record("order-000042").orElseThrow();
      int bytes =
          Keys.caseOf("order-000042").length
              + record.encode().length
              + Keys.status(record).length
              + Keys.due(record.dueMillis(), "order-000042").length;

      assertThat(bytes).isLessThanOrEqualTo(WAITING_BYTES_MAX);
    }
  }

  @Test
  void cases_are_listed_a_page_at_a_time_and_a_backup_can_be_opened() {
    var waiting = waiting();
    Path backup = folder.resolveSibling(folder.getFileName() + "-backup");
    try (var engine = Engine.open(folder, waiting)) {
      for (int i = 0; i < 7; i++) {
        engine.start(waiting, "case-" + i, Context.empty());
      }
      engine.signal("case-3", "go", Map.of());
    }
    try (RocksStore store = RocksStore.open(folder)) {
      CaseQuery query = CaseQuery.ALL.withStatus(CaseStatus.WAITING).withPage("", 4);
      var first = store.list(query);
      var second = store.list(query.withPage(first.next(), 4));
      store.backup(backup, dev.damask.store.Store.Backup.COPIES);

      assertThat(first.cases()).hasSize(4);
      assertThat(second.cases()).hasSize(2);
      assertThat(second.next()).isEmpty();
    }
    try (RocksStore store = RocksStore.open(backup)) {
      assertThat(store.list(CaseQuery.ALL).cases()).hasSize(7);
      assertThat(store.verify()).isEmpty();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      files.forEach(file -> {
        try {
          Files.copy(file, to.resolve(from.relativize(file).toString()));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      });
    }
  }
}
