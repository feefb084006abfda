package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Flow.xor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.event.Reply;
import dev.damask.event.StateView;
import dev.damask.ops.DescriptionRows;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.Table;
import dev.damask.task.Guard;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Cases of a program in Java that another process looks at, which does not have the code.
@Timeout(30)
final class DescribedCasesTest {
  private final MemoryStore store = new MemoryStore();

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(20));
  }

  private static WorkflowDefinition order() {
    return workflow(
        "order",
        task("price", context -> context.with("price", 42)),
        par(effect("pack"), defer(on("approved", skip()))),
        xor(
            when(Guard.named("cheap", context -> false), effect("mail")),
            otherwise(task("sign", context -> context.with("signed", context.get("by"))))));
  }

  private void started() {
    var order = order();
    try (var engine = Engine.open(options(), store)) {
      engine.start(order, "one", Context.of("customer", "acme"));
    }
  }

  @Test
  void a_view_without_the_code_has_tasks_places_tokens_and_data() {
    started();

    try (var engine = Engine.open(options(), store.reopened())) {
      CaseView view = engine.status("one");

      assertThat(view.status()).isEqualTo(CaseStatus.WAITING);
      assertThat(view.context()).isEqualTo(Context.of("customer", "acme", "price", 42));
      assertThat(view.tasks()).extracting(PendingTask::task).containsExactly("pack");
      assertThat(view.places()).containsExactly("approved");
      assertThat(view.tokens()).hasSize(2);
      assertThat(view.report().getFirst()).endsWith("open the engine with that workflow");
      assertThat(engine.state("one").tokens())
          .extracting(StateView.Token::place)
          .containsExactly("do[1].par[0]", "do[1].par[1]");
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void signals_without_the_code_are_kept_and_applied_in_order_by_an_engine_that_has_it()
      throws Exception {
    started();
    try (var engine = Engine.open(options(), store.reopened())) {
      assertThat(engine.signal("one", "approved", Map.of("by", "eve"), "m1").kind())
          .isEqualTo(Reply.BUFFERED);
      assertThat(engine.signal("one", "approved", Map.of("by", "eve"), "m1").kind())
          .isEqualTo(Reply.BUFFERED);
      assertThat(engine.signal("one", "approved", Map.of("by", "bob")).kind())
          .isEqualTo(Reply.BUFFERED);
      assertThat(engine.signal("one", "aproved", Map.of()).kind()).isEqualTo(Reply.REJECTED);
    }
    try (var engine = Engine.open(options(), store.reopened())) {
      assertThat(engine.signal("one", "approved", Map.of("by", "eve"), "m1").kind())
          .isEqualTo(Reply.BUFFERED);
    }

    try (var engine = Engine.open(options(), store.reopened(), order())) {
      engine.completeTask("one", "pack", Map.of());

      assertThat(engine.await("one"))
          .isInstanceOfSatisfying(
              CaseResult.Completed.class,
              end -> assertThat(((Context) end.result()).get("signed")).isEqualTo("eve"));
      assertThat(store.table().rows("message", null, 10)).isEmpty();
      assertThat(engine.signal("one", "approved", Map.of(), "m1").kind()).isEqualTo(Reply.ACCEPTED);
    }
    try (var engine = Engine.open(options(), store.reopened())) {
      assertThat(engine.signal("one", "approved", Map.of()).kind()).isEqualTo(Reply.CASE_ENDED);
    }
  }

  @Test
  void a_kept_signal_reaches_a_case_whose_workflow_is_registered_later() throws Exception {
    started();
    try (var engine = Engine.open(options(), store.reopened())) {
      engine.signal("one", "approved", Map.of("by", "eve"));

      engine.register(order());
      engine.completeTask("one", "pack", Map.of());

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void other_inputs_without_the_code_are_refused() {
    started();

    try (var engine = Engine.open(options(), store.reopened())) {
      assertThatThrownBy(() -> engine.completeTask("one", "pack", Map.of()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("open the engine with that workflow");
    }
  }

  @Test
  void the_description_of_a_store_without_one_is_written_when_the_code_is_there_again() {
    started();
    var rows = store.table().rows(DescriptionRows.KIND, null, 10);
    assertThat(rows).hasSize(1);
    store
        .commit(
            dev.damask.store.CommitBatch.ofRows(
                List.of(new dev.damask.store.RowChange.Remove(rows.getFirst()))))
        .join();

    var order = order();
    try (var engine = Engine.open(options(), store.reopened(), order)) {
      engine.start(order, "two", Context.empty());
    }

    assertThat(store.table().rows(DescriptionRows.KIND, null, 10)).isEqualTo(rows);
  }

  @Test
  void signals_without_the_code_have_a_bound_in_bytes_and_in_number() {
    started();
    String large = "x".repeat(250_000);
    int most = 4 * 1_024 * 1_024 / 250_000;
    for (int round = 0; round < 2; round++) { // what is kept counts after a restart, too
      try (var engine = Engine.open(options(), store.reopened())) {
        for (int i = 0; i < most; i++) {
          assertThat(engine.signal("one", "approved", Map.of("by", large), "m" + i).kind())
              .isEqualTo(Reply.BUFFERED);
        }
        assertThatThrownBy(() -> engine.signal("one", "approved", Map.of("by", large), "late"))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("case one is busy: about")
            .hasMessageContaining("bytes of input wait for it, at most 4194304 may");
        assertThat(store.table().rows("message", null, 100)).hasSize(most);
      }
    }
    try (var engine = Engine.open(options().withCaseQueueMax(most), store.reopened())) {
      assertThatThrownBy(() -> engine.signal("one", "approved", Map.of("by", "eve")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("case one is busy: 16 inputs wait for it");
    }
  }

  @Test
  void a_signal_without_the_code_reads_none_of_those_that_wait() {
    started();
    AtomicInteger reads = new AtomicInteger();
    try (var engine = Engine.open(options(), counting(store.reopened(), reads))) {
      engine.signal("one", "approved", Map.of("by", "eve"), "first");
      int before = reads.get();
      for (int i = 0; i < 100; i++) {
        engine.signal("one", "approved", Map.of("by", "eve"), "m" + i);
      }

      assertThat(reads.get() - before).isZero();
    }
  }

  /// Counts the rows of messages that are read.
  private static Store counting(Store store, AtomicInteger reads) {
    return proxy(
        Store.class,
        store,
        (method, result) ->
            method.equals("table")
                ? proxy(
                    Table.class,
                    (Table) result,
                    (read, rows) -> {
                      if (read.equals("rows")) {
                        reads.addAndGet(((List<?>) rows).size());
                      }
                      return rows;
                    })
                : result);
  }

  private static <T> T proxy(Class<T> type, T of, BiFunction<String, Object, Object> seen) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              try {
                return seen.apply(method.getName(), method.invoke(of, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
