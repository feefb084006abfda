package dev.damask.cases;

import static dev.damask.attribute.Match.above;
import static dev.damask.store.CaseQuery.where;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.attribute.CaseFacts;
import dev.damask.caller.CaseResult;
import dev.damask.event.Mapping;
import dev.damask.intake.IndexSync;
import dev.damask.store.AttributeRows;
import dev.damask.store.CaseCommit;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.StoredState;
import dev.damask.task.Expression;
import dev.damask.term.Attribute;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Attributes of cases and queries by them.
@Timeout(30)
final class AttributesTest {
  private final MemoryStore store = new MemoryStore();

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(2).withGrace(Duration.ofMillis(20));
  }

  private static Attribute attribute(String name, String key) {
    return new Attribute(
        name, Attribute.Type.ANY, Expression.named(key, context -> context.get(key)), List.of(key));
  }

  private static Term body() {
    return repeatWhile(
        context -> !Boolean.TRUE.equals(context.get("done")),
        defer(on("change", skip()), on("ship", effect("send")), on("break", fail("broken"))));
  }

  private static WorkflowDefinition order() {
    return workflow("order", body())
        .withAttributes(List.of(attribute("customer", "customer"), attribute("price", "price")));
  }

  private static List<String> ids(CasePage page) {
    return page.cases().stream().map(CaseRecord::caseId).toList();
  }

  private static Context data(String customer, long price) {
    return Context.of("customer", customer, "price", price);
  }

  @Test
  void cases_are_found_by_their_present_values() {
    var order = order();
    try (var engine = Engine.open(options(), store, order)) {
      engine.start(order, "one", data("acme", 50));
      engine.start(order, "two", data("acme", 150));
      engine.start(order, "three", data("zenith", 200));

      assertThat(ids(engine.list(where("customer", "acme")))).containsExactly("one", "two");
      assertThat(ids(engine.list(where("customer", "acme").and("price", above(100)))))
          .containsExactly("two");
      engine.signal("one", "change", Map.of("price", 500));
      assertThat(ids(engine.list(where("customer", "acme").and("price", above(100)))))
          .containsExactly("one", "two");
      engine.signal("two", "change", Map.of("customer", "zenith"));
      assertThat(ids(engine.list(CaseQuery.parse("customer = 'zenith' and price < 200"))))
          .containsExactly("two");
    }
  }

  @Test
  void what_waits_for_what_is_one_query() throws Exception {
    var order = order();
    try (var engine = Engine.open(options(), store, order)) {
      engine.start(order, "one", data("acme", 1));
      engine.start(order, "two", data("acme", 1));
      engine.signal("one", "ship", Map.of());

      assertThat(ids(engine.list(CaseQuery.ALL.waitingFor("send")))).containsExactly("one");
      assertThat(ids(engine.list(CaseQuery.ALL.waitingFor("change")))).containsExactly("two");
      assertThat(ids(engine.list(where("customer", "acme").waitingFor("send"))))
          .containsExactly("one");

      engine.completeTask("one", "send", Map.of("done", true));
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.list(CaseQuery.ALL.waitingFor("send")).cases()).isEmpty();
      assertThat(ids(engine.list(where("customer", "acme").withStatus(CaseStatus.COMPLETED))))
          .containsExactly("one");
    }
  }

  @Test
  void an_attribute_is_computed_only_when_what_it_reads_changes() {
    AtomicInteger computed = new AtomicInteger();
    var counting =
        new Attribute(
            "customer",
            Attribute.Type.TEXT,
            context -> {
              computed.incrementAndGet();
              return context.get("customer");
            },
            List.of("customer"));
    var order = workflow("order", body()).withAttributes(List.of(counting));
    try (var engine = Engine.open(options(), store, order)) {
      engine.start(order, "one", data("acme", 1));
      int before = computed.get();

      engine.signal("one", "change", Map.of("price", 2));
      engine.signal("one", "change", Map.of("price", 3));
      assertThat(computed).hasValue(before);
      engine.signal("one", "change", Map.of("customer", "zenith"));
      assertThat(computed).hasValue(before + 1);
      assertThat(ids(engine.list(where("customer", "zenith")))).containsExactly("one");
    }
  }

  @Test
  void a_start_with_a_value_that_cannot_be_indexed_is_refused() {
    var order = order();
    try (var engine = Engine.open(options(), store, order)) {
      assertThatThrownBy(() -> engine.start(order, "one", data("x".repeat(600), 1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("case one: attribute 'customer': a string has at most 512 bytes, got 600");
      assertThatThrownBy(() -> engine.start(order, "one", data("a\0", 1)))
          .hasMessage("case one: the input must not contain U+0000, found one in 'customer'");
      assertThatThrownBy(() -> engine.start(order, "one", Context.of("price", List.of(1))))
          .hasMessageContaining("attribute 'price': an attribute is a string")
          .hasMessageContaining("got a list");
      assertThat(store.record("one")).isEmpty();
    }
  }

  @Test
  void a_value_that_becomes_invalid_leaves_the_index_and_is_reported_with_the_case() {
    var order = order();
    try (var engine = Engine.open(options(), store, order)) {
      engine.start(order, "one", data("acme", 1));
      engine.signal("one", "change", Map.of("customer", "x".repeat(600)));

      assertThat(engine.list(where("customer", "acme")).cases()).isEmpty();
      assertThat(ids(engine.list(where("price", 1)))).containsExactly("one");
      assertThat(store.record("one").orElseThrow().facts().problems())
          .containsEntry("customer", "a string has at most 512 bytes, got 600");
      engine.signal("one", "change", Map.of("customer", "back"));
      assertThat(ids(engine.list(where("customer", "back")))).containsExactly("one");
      assertThat(store.record("one").orElseThrow().facts().problems()).isEmpty();
    }
  }

  @Test
  void a_failed_or_cancelled_case_keeps_its_attributes() {
    var order = order();
    try (var engine = Engine.open(options(), store, order)) {
      engine.start(order, "one", data("acme", 1));
      engine.start(order, "two", data("acme", 1));
      engine.signal("one", "change", Map.of("customer", "later"));
      engine.signal("two", "change", Map.of("customer", "later"));
      engine.signal("one", "break", Map.of());
      engine.cancel("two");

      assertThat(ids(engine.list(where("customer", "later")))).containsExactly("one", "two");
      assertThat(ids(engine.list(where("customer", "later").withStatus(CaseStatus.FAILED))))
          .containsExactly("one");
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void a_migration_changes_the_index_with_the_program() {
    var order = order();
    var next =
        workflow("order", body(), task("added", c -> c))
            .withAttributes(List.of(attribute("buyer", "customer")));
    try (var engine = Engine.open(options(), store, order, next)) {
      engine.start(order, "one", data("acme", 1));
      engine.migrate("one", next, Mapping.NONE);

      assertThat(engine.list(where("customer", "acme")).cases()).isEmpty();
      assertThat(ids(engine.list(where("buyer", "acme")))).containsExactly("one");
    }
  }

  @Test
  void the_next_engine_indexes_by_the_attributes_that_it_declares() {
    var order = order();
    try (var engine = Engine.open(options(), store, order)) {
      engine.start(order, "one", data("acme", 1));
      engine.start(order, "two", data("acme", 2));
      engine.signal("two", "break", Map.of());
    }
    var renamed = workflow("order", body()).withAttributes(List.of(attribute("buyer", "customer")));
    try (var engine = Engine.open(options(), store.reopened(), renamed)) {
      assertThat(ids(engine.list(where("buyer", "acme")))).containsExactly("one", "two");
      assertThat(engine.list(where("customer", "acme")).cases()).isEmpty();
      assertThat(engine.verify()).isEmpty();
    }
    try (var engine = Engine.open(options(), store.reopened(), workflow("order", body()))) {
      assertThat(engine.list(where("buyer", "acme")).cases()).isEmpty();
    }
    try (var engine = Engine.open(options(), store.reopened(), order)) {
      assertThat(ids(engine.list(where("customer", "acme")))).containsExactly("one", "two");
    }
  }

  @Test
  void another_declaration_of_a_running_workflow_takes_effect_when_it_is_registered() {
    var order = order();
    try (var engine = Engine.open(options(), store, order)) {
      engine.start(order, "one", data("acme", 1));
      engine.register(
          workflow("order", body()).withAttributes(List.of(attribute("buyer", "customer"))));

      assertThat(ids(engine.list(where("buyer", "acme")))).containsExactly("one");
    }
  }

  @Test
  void a_function_that_has_changed_is_taken_over_by_reindex() {
    Map<String, Object> values = new java.util.concurrent.ConcurrentHashMap<>(Map.of("v", "old"));
    var order =
        workflow("order", body())
            .withAttributes(
                List.of(
                    new Attribute(
                        "kind", Attribute.Type.ANY, _ -> values.get("v"), List.of("price"))));
    try (var engine = Engine.open(options(), store, order)) {
      engine.start(order, "one", data("acme", 1));
      assertThat(ids(engine.list(where("kind", "old")))).containsExactly("one");
      values.put("v", "new");
      assertThat(ids(engine.list(where("kind", "old")))).containsExactly("one");

      engine.reindex(order);
      assertThat(engine.list(where("kind", "old")).cases()).isEmpty();
      assertThat(ids(engine.list(where("kind", "new")))).containsExactly("one");
    }
  }

  /// What a version without attributes has written: records without facts, and no row.
  private void asOlderVersion() {
    List<CaseRecord> all = store.list(CaseQuery.ALL).cases();
    List<CaseCommit> commits = new ArrayList<>();
    for (CaseRecord each : all) {
      CaseRecord plain =
          new CaseRecord(
              each.caseId(),
              each.revision() + 1,
              store.epoch(),
              each.status(),
              each.workflow(),
              each.startedMillis(),
              each.changedMillis(),
              each.dueMillis(),
              each.receipts(),
              each.terms(),
              each.evidence(),
              new StoredState.Whole(
                  dev.damask.exec.StateCodec.encode(
                      each.decode(
                          new dev.damask.exec.Machine(
                              dev.damask.compile.Compiler.compile(order()),
                              new dev.damask.exec.Machine.Options(
                                  dev.damask.schedule.InOrder.INSTANCE,
                                  dev.damask.term.Limits.DEFAULT,
                                  false,
                                  null))))),
              CaseFacts.NONE);
      assertThat(plain.facts()).isEqualTo(CaseFacts.NONE);
      commits.add(
          new CaseCommit(
              plain, List.of(), List.of(), List.of(), List.of(), List.of(), new byte[0]));
    }
    List<RowChange> rows = new ArrayList<>();
    store
        .table()
        .rows(AttributeRows.KIND, null, 99)
        .forEach(row -> rows.add(new RowChange.Remove(row)));
    store.commit(new CommitBatch(commits, List.of(), List.of(), rows)).join();
  }

  @Test
  void the_cases_of_an_older_store_are_indexed_when_it_is_opened() {
    var order = order();
    var other = workflow("other", defer(on("go", skip())));
    try (var engine = Engine.open(options(), store, order)) {
      engine.start(order, "one", data("acme", 1));
      engine.start(order, "two", data("zenith", 2));
    }
    asOlderVersion();
    assertThat(store.list(where("customer", "acme")).cases()).isEmpty();

    try (var engine = Engine.open(options(), store.reopened(), other)) {
      assertThat(engine.list(where("customer", "acme")).cases()).isEmpty();
      assertThat(AttributeRows.incomplete(store))
          .singleElement()
          .asString()
          .startsWith("workflow order, program");
    }
    try (var engine = Engine.open(options(), store.reopened(), order)) {
      assertThat(ids(engine.list(where("customer", "acme")))).containsExactly("one");
      assertThat(ids(engine.list(CaseQuery.ALL.waitingFor("change"))))
          .containsExactly("one", "two");
      assertThat(AttributeRows.incomplete(store)).isEmpty();
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void a_case_that_is_indexed_by_something_else_than_its_data_is_found_by_verify() {
    var order = order();
    try (var engine = Engine.open(options(), store, order)) {
      engine.start(order, "one", data("acme", 1));
    }
    CaseRecord record = store.record("one").orElseThrow();
    asOlderVersion();
    store
        .commit(
            CommitBatch.ofRows(
                List.of(
                    new RowChange.Put(
                        new dev.damask.store.TableRow(
                            AttributeRows.KIND, AttributeRows.ALL, 0, dev.damask.value.Bytes.of())),
                    new RowChange.Put(
                        new dev.damask.store.TableRow(
                            AttributeRows.KIND,
                            record.program().toString(),
                            0,
                            dev.damask.value.Bytes.of(
                                IndexSync.declaration(order.attributes())
                                    .getBytes(java.nio.charset.StandardCharsets.UTF_8)))))))
        .join();
    try (var engine = Engine.open(options(), store.reopened(), order)) {
      assertThat(engine.verify())
          .singleElement()
          .asString()
          .startsWith("case one: it is indexed by");
    }
  }

  @Test
  void pages_follow_each_other_and_a_cursor_of_another_query_is_refused() {
    var order = order();
    try (var engine = Engine.open(options(), store, order)) {
      for (int i = 0; i < 23; i++) {
        engine.start(order, "c" + i, data(i % 2 == 0 ? "acme" : "zenith", i));
      }
      for (CaseQuery query :
          List.of(where("customer", "acme"), where("price", above(4)).and("price", above(6)))) {
        List<String> all = ids(engine.list(query));
        List<String> found = new ArrayList<>();
        String cursor = "";
        do {
          CasePage page = engine.list(query.withPage(cursor, 5));
          assertThat(page.cases()).hasSizeLessThanOrEqualTo(5);
          found.addAll(ids(page));
          cursor = page.next();
        } while (!cursor.isEmpty());
        assertThat(found).isEqualTo(all).doesNotHaveDuplicates();
      }
      assertThatThrownBy(() -> engine.list(where("customer", "acme").withPage("0 0000 c1", 5)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not a cursor of this query: '0 0000 c1'");
    }
  }

  @Test
  void a_conjunction_reads_no_more_cases_than_the_smaller_index_has() {
    dev.damask.store.MemoryStore large = new MemoryStore();
    AtomicInteger read = new AtomicInteger();
    var order = order();
    try (var engine = Engine.open(options(), large, order)) {
      for (int i = 0; i < 400; i++) {
        engine.start(order, "c" + i, data("acme", i % 40));
      }
      for (CaseQuery query :
          List.of(
              where("customer", "acme").and("price", 7),
              where("customer", "acme").and("price", above(38)))) {
        read.set(0);
        Map<String, CaseRecord> records = new TreeMap<>();
        large
            .list(CaseQuery.ALL.withPage("", 1_000))
            .cases()
            .forEach(each -> records.put(each.caseId(), each));
        dev.damask.store.CasePage page =
            dev.damask.store.QueryWalk.page(
                large.index(),
                id -> {
                  read.incrementAndGet();
                  return java.util.Optional.ofNullable(records.get(id));
                },
                query);
        assertThat(page.cases()).hasSize(10);
        assertThat(read).hasValue(10);
      }
    }
  }

  @Test
  void a_name_that_queries_use_otherwise_is_refused() {
    assertThatThrownBy(() -> attribute("status", "s"))
        .hasMessageContaining("attribute 'status': queries use this word");
    assertThatThrownBy(() -> attribute("two words", "s"))
        .hasMessageContaining("attribute 'two words': a name has letters");
    assertThatThrownBy(
            () -> order().withAttributes(List.of(attribute("a", "x"), attribute("a", "y"))))
        .hasMessage("two attributes are named 'a'");
  }
}
