package dev.damask.store.postgres;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.attribute.CaseFacts;
import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.event.Reply;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.RowChange;
import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import dev.damask.task.Expression;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The engine on PostgreSQL.
@Timeout(60)
final class PostgresStoreTest {
  private final PostgresOptions options = TestServer.schema().withLease(Duration.ofMillis(900));

  private static WorkflowDefinition waiting() {
    return workflow(
        "waiting",
        defer(
            on("go", task("end", c -> c.with("ended", true))), after(Duration.ofDays(2), skip())));
  }

  private PostgresStore store() {
    return PostgresStore.open(TestServer.source(), options);
  }

  private Engine open(WorkflowDefinition... workflows) {
    return Engine.open(
        EngineOptions.defaults().withShards(2).withGrace(Duration.ofMillis(20)),
        store(),
        workflows);
  }

  @Test
  void a_case_resumes_in_the_next_engine() throws InterruptedException {
    var waiting = waiting();
    try (var engine = open(waiting)) {
      engine.start(waiting, "one", Context.of("n", 1));
    }
    try (var engine = open(waiting)) {
      assertThat(engine.signal("one", "go", Map.of(), "m").kind()).isEqualTo(Reply.ACCEPTED);
    }
    try (var engine = open(waiting)) {
      assertThat(engine.await("one"))
          .isEqualTo(new CaseResult.Completed<>(Context.of("n", 1, "ended", true)));
      assertThat(engine.signal("one", "go", Map.of(), "m").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void effects_leave_receipts_that_the_next_engine_reads() throws InterruptedException {
    var ask = workflow("ask", effect("ask"));
    EngineOptions answering =
        EngineOptions.defaults().withShards(1).withHandler("ask", _ -> Map.of("n", 1));
    try (var engine = Engine.open(answering, store(), ask)) {
      engine.start(ask, "one", Context.empty());
      assertThat(engine.await("one")).isEqualTo(new CaseResult.Completed<>(Context.of("n", 1)));
    }
    try (PostgresStore store = store()) {
      assertThat(store.receipts("one")).hasSize(1);
      assertThat(store.intents("one")).isEmpty();
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void a_second_engine_is_refused_while_the_first_is_alive() {
    try (PostgresStore first = store()) {
      assertThatThrownBy(this::store)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("node 1 is alive; close that engine first");
      assertThat(first.mayWork()).isTrue();
      assertThat(first.commit(new CommitBatch(List.of()))).succeedsWithin(Duration.ofSeconds(5));
    }
  }

  @Test
  void an_engine_that_died_is_taken_over_after_its_lease() throws Exception {
    PostgresNode dead = PostgresNode.join(TestServer.source(), options);
    dead.close();

    try (PostgresStore store = store()) {
      assertThat(store.epoch()).isGreaterThan(dead.epoch());
    }
  }

  @Test
  void a_stale_revision_is_refused_and_nothing_is_written_after_it() {
    var waiting = waiting();
    try (var engine = open(waiting)) {
      engine.start(waiting, "one", Context.empty());
    }
    try (PostgresStore store = store()) {
      CaseRecord old = store.record("one").orElseThrow();
      CaseRecord record =
          new CaseRecord(
              old.caseId(),
              old.revision(),
              store.epoch(),
              old.status(),
              old.workflow(),
              old.startedMillis(),
              old.changedMillis(),
              old.dueMillis(),
              old.receipts(),
              old.terms(),
              old.evidence(),
              old.state(),
              CaseFacts.NONE);
      var commit =
          new CaseCommit(
              record, List.of(), List.of(), List.of(), List.of(), List.of(), new byte[0]);

      TableRow row = new TableRow("graph", "g", 1, Bytes.of());

      assertThat(
              store.commit(
                  new CommitBatch(
                      List.of(commit), List.of(), List.of(), List.of(new RowChange.Put(row)))))
          .failsWithin(Duration.ofSeconds(10))
          .withThrowableThat()
          .withMessageContaining("expected revision 2, got 1");
      assertThat(store.table().rows("graph", null, 9)).as("rows of the same batch").isEmpty();
      assertThat(store.commit(new CommitBatch(List.of()))).failsWithin(Duration.ofSeconds(10));
    }
  }

  @Test
  void an_id_or_key_with_a_zero_character_is_refused_and_the_store_continues() throws Exception {
    var waiting = waiting();
    // A computed key may contain what no input may.
    var key =
        Expression.named("key", context -> String.valueOf(context.get("key")).replace('%', '\0'));
    var pay = workflow("pay", effect("pay").key(key));
    EngineOptions paying =
        EngineOptions.defaults().withShards(1).withHandler("pay", _ -> Map.of("n", 1));
    try (var engine = Engine.open(paying, store(), waiting, pay)) {
      engine.start(waiting, "one", Context.empty());

      assertThatThrownBy(() -> engine.signal("one", "go", Map.of(), "m\0"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("U+0000");
      assertThatThrownBy(() -> engine.signal("o\0ne", "go", Map.of()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> engine.start(pay, "worse", Context.of("key", "k\0")))
          .hasMessageContaining("U+0000");
      engine.start(pay, "bad", Context.of("key", "k%"));
      assertThat(engine.await("bad")).isInstanceOf(CaseResult.Failed.class);
      engine.start(pay, "good", Context.of("key", "k"));
      assertThat(engine.await("good")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void cases_are_listed_a_page_at_a_time() {
    var waiting = waiting();
    try (var engine = open(waiting)) {
      for (int i = 0; i < 7; i++) {
        engine.start(waiting, "case-" + i, Context.empty());
      }
      engine.signal("case-3", "go", Map.of());
    }
    try (PostgresStore store = store()) {
      CaseQuery query = CaseQuery.ALL.withStatus(CaseStatus.WAITING).withPage("", 4);
      var first = store.list(query);
      var second = store.list(query.withPage(first.next(), 4));

      assertThat(first.cases()).hasSize(4);
      assertThat(second.cases()).hasSize(2);
      assertThat(second.next()).isEmpty();
      assertThat(store.ids("case-")).hasSize(7).isSorted();
      assertThat(store.ids("case_")).isEmpty();
      assertThat(
              TestServer.query(
                  "select status, count(*) from "
                      + options.schema()
                      + ".case_list group by status order by status"))
          .containsExactly("completed 1", "waiting 6");
    }
  }

  @Test
  void a_damaged_or_foreign_record_makes_its_case_corrupt_and_no_other() {
    var waiting = waiting();
    try (var engine = open(waiting)) {
      engine.start(waiting, "one", Context.empty());
      engine.start(waiting, "two", Context.empty());
    }
    TestServer.execute(
        "update %s.cases set record = (select record from %s.cases where case_id = 'two')"
                .formatted(options.schema(), options.schema())
            + " where case_id = 'one'");
    try (PostgresStore store = store()) {
      assertThatThrownBy(() -> store.load("one")).isInstanceOf(CorruptCaseException.class);
      assertThat(store.load("two")).isPresent();
      assertThat(store.list(CaseQuery.ALL).cases())
          .extracting(CaseRecord::status)
          .containsExactlyInAnyOrder(CaseStatus.CORRUPT, CaseStatus.WAITING);
      assertThat(store.verify()).hasSize(1).first().asString().contains("case one");
    }
  }

  @Test
  void verify_finds_rows_that_do_not_belong_together() {
    var waiting = waiting();
    try (var engine = open(waiting)) {
      engine.start(waiting, "one", Context.empty());
    }
    String schema = options.schema();
    TestServer.execute("update " + schema + ".due set due = 5");
    TestServer.execute("insert into " + schema + ".consumed values ('ghost', 'm', 1)");
    try (PostgresStore store = store()) {
      assertThat(store.verify())
          .anySatisfy(line -> assertThat(line).contains("case one: has").contains("due 5"))
          .anySatisfy(line -> assertThat(line).contains("consumed").contains("ghost"))
          .hasSize(2);
    }
  }
}
