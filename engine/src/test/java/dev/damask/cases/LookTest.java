package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.set;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.event.StateView;
import dev.damask.ops.CaseEvent;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.task.Expression;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What callers see of cases that run and of those that have ended.
@Timeout(30)
final class LookTest {
  private final MemoryStore store = new MemoryStore();

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(2).withGrace(Duration.ofMillis(20));
  }

  @Test
  void a_view_has_every_token_with_its_place_and_its_data() {
    var flow =
        workflow(
            "w",
            par(
                seq(set("k", Expression.constant(1)), effect("A")),
                seq(set("k", Expression.constant(2)), effect("B"))));
    try (var engine = Engine.open(options(), store, flow)) {
      CaseView view = engine.start(flow, "one", Context.of("n", 7)).status();

      assertThat(view.tokens()).extracting(StateView.Token::task).containsExactly("A#1", "B#1");
      assertThat(view.tokens())
          .extracting(StateView.Token::place)
          .allSatisfy(place -> assertThat(place).startsWith("do"))
          .doesNotHaveDuplicates();
      assertThat(view.tokens())
          .extracting(token -> token.context().get("k"))
          .containsExactly(1L, 2L);
      assertThat(view.divided()).containsExactly("k");
      assertThat(view.context()).isEqualTo(Context.of("n", 7, "k", 2));
      assertThat(view.facts().waits()).containsExactly("A", "B");
    }
  }

  @Test
  void await_reports_each_step_on_the_way_and_the_end() throws Exception {
    var flow = workflow("w", effect("A"), effect("B"), defer(on("go", skip())));
    try (var engine = Engine.open(options(), store, flow)) {
      var run = engine.start(flow, "one", Context.empty());
      List<List<String>> waits = new ArrayList<>();

      CaseResult<Context> result =
          run.await(view -> {
            waits.add(view.facts().waits());
            switch (view.facts().waits().toString()) {
              case "[A]" -> run.completeTask("A", Map.of());
              case "[B]" -> run.completeTask("B", Map.of());
              case "[go]" -> run.signal("go");
              default -> assertThat(view.status()).isEqualTo(CaseStatus.COMPLETED);
            }
          });

      assertThat(result).isInstanceOf(CaseResult.Completed.class);
      assertThat(waits).containsExactly(List.of("A"), List.of("B"), List.of("go"), List.of());
    }
  }

  @Test
  void a_listener_hears_of_its_case_alone_until_it_is_closed() {
    var flow = workflow("w", defer(on("go", skip())), defer(on("go", skip())));
    List<CaseEvent> heard = new CopyOnWriteArrayList<>();
    try (var engine = Engine.open(options(), store, flow)) {
      var subscription = engine.listen("one", heard::add);
      engine.start(flow, "two", Context.empty());
      engine.start(flow, "one", Context.empty());
      engine.signal("one", "go", Map.of());
      subscription.close();
      engine.signal("one", "go", Map.of());
    }

    assertThat(heard)
        .containsExactly(
            new CaseEvent("one", "w", CaseStatus.WAITING, 1),
            new CaseEvent("one", "w", CaseStatus.WAITING, 2));
  }

  @Test
  void the_stream_of_ended_cases_continues_after_a_restart() throws Exception {
    var flow = workflow("w", defer(on("go", skip())));
    String cursor;
    try (var engine = Engine.open(options(), store, flow);
        var ended = engine.ended("")) {
      engine.start(flow, "one", Context.empty());
      engine.start(flow, "two", Context.empty());
      engine.start(flow, "three", Context.empty());
      assertThat(ended.poll()).isEmpty();
      engine.signal("two", "go", Map.of());

      assertThat(ended.poll(Duration.ofSeconds(10)).map(Store.EndedCase::caseId)).contains("two");
      assertThat(ended.poll()).isEmpty();
      engine.cancel("one");
      cursor = ended.cursor();
    }
    try (var engine = Engine.open(options(), store.reopened(), flow);
        var ended = engine.ended(cursor)) {
      engine.signal("three", "go", Map.of());

      assertThat(ended.poll().map(Store.EndedCase::caseId)).contains("one");
      assertThat(ended.poll(Duration.ofSeconds(10)).map(Store.EndedCase::caseId)).contains("three");
      assertThat(engine.ended("", 2))
          .extracting(Store.EndedCase::caseId)
          .containsExactly("two", "one");
      assertThatThrownBy(() -> engine.ended("yesterday", 2))
          .hasMessageContaining("not a cursor of ended cases: 'yesterday'");
      store.commit(new CommitBatch(List.of(), List.of(), List.of("two"))).join();
      assertThat(engine.ended("", 9))
          .extracting(Store.EndedCase::caseId)
          .containsExactly("one", "three");
    }
  }
}
