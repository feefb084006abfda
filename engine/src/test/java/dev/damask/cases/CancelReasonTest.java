package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.event.TraceEvent;
import dev.damask.ops.ScopeCancelled;
import dev.damask.store.MemoryStore;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a case says about its cancellation: which scope, and why.
@Timeout(20)
final class CancelReasonTest {
  private static final Term WAIT = defer(on("go", skip()));

  private final MemoryStore store = new MemoryStore();

  private static EngineOptions options() {
    return EngineOptions.defaults()
        .withShards(1)
        .withTrace(TraceLevel.MIN)
        .withGrace(Duration.ofMillis(20));
  }

  private Engine open(WorkflowDefinition flow) {
    return Engine.open(options(), store, flow);
  }

  @Test
  void a_join_that_is_given_up_is_the_reason_with_its_place_and_both_numbers() throws Exception {
    WorkflowDefinition flow = workflow("short", par(scope("r", WAIT), scope("s", kill("s"))));
    String detail = "the join at do needs 2 branches, 1 left";
    CaseResult<Context> expected =
        new CaseResult.Cancelled<>("case", "join_unfulfillable: " + detail);
    try (var engine = open(flow)) {
      var run = engine.start(flow, "one", Context.empty());
      run.signal("go", Map.of());

      assertThat(run.await()).isEqualTo(expected);
      assertThat(run.status().cancelled()).contains((CaseResult.Cancelled<Context>) expected);
      assertThat(run.trace())
          .filteredOn(each -> each.kind() == TraceEvent.Kind.ABANDONED)
          .extracting(TraceEvent::detail)
          .containsExactly("the join at do needs 2 branches, 1 left");
    }
  }

  @Test
  void the_reason_of_a_cancelled_case_is_in_its_result_its_view_and_its_trace() throws Exception {
    WorkflowDefinition flow = workflow("wait", WAIT);
    CaseResult<Context> expected = new CaseResult.Cancelled<>("case", "the customer called");
    try (var engine = open(flow)) {
      var run = engine.start(flow, "one", Context.empty());
      run.cancel("case", "the customer called");

      assertThat(run.await()).isEqualTo(expected);
      assertThat(run.status().cancelled()).contains((CaseResult.Cancelled<Context>) expected);
      assertThat(run.status().failure()).isEmpty();
      assertThat(run.trace())
          .filteredOn(each -> each.kind() == TraceEvent.Kind.CANCELLED)
          .extracting(TraceEvent::detail)
          .containsExactly("WITHDRAW: the customer called");
    }
    try (var engine = Engine.open(options(), store.reopened(), flow)) {
      assertThat(engine.await("one")).isEqualTo(expected);
    }
  }

  @Test
  void cancelling_the_scope_that_is_all_of_a_case_names_the_scope() throws Exception {
    WorkflowDefinition flow = workflow("wait", scope("R", WAIT));
    try (var engine = open(flow)) {
      var run = engine.start(flow, "one", Context.empty());
      run.cancel("R", "no stock");

      assertThat(run.await()).isEqualTo(new CaseResult.Cancelled<>("R", "no stock"));
    }
  }

  @Test
  void the_reason_survives_an_undo_that_takes_a_while() throws Exception {
    WorkflowDefinition flow = workflow("book", effect("book").undo(effect("release")), WAIT);
    try (var engine = open(flow)) {
      var run = engine.start(flow, "one", Context.empty());
      run.completeTask(run.status().tasks().getFirst().id(), Context.empty().toMap());
      run.cancel("case", "no stock");
    }
    try (var engine = Engine.open(options(), store.reopened(), flow)) {
      var run = engine.run("one");
      run.completeTask(run.status().tasks().getFirst().id(), Context.empty().toMap());

      assertThat(run.await()).isEqualTo(new CaseResult.Cancelled<>("case", "no stock"));
    }
  }

  @Test
  void a_case_that_cancels_itself_has_a_reason_too() throws Exception {
    WorkflowDefinition flow = workflow("self", scope("R", kill("R")));
    try (var engine = open(flow)) {
      assertThat(engine.start(flow, "one", Context.empty()).await())
          .isEqualTo(new CaseResult.Cancelled<>("R", "kill"));
    }
  }

  @Test
  void a_case_that_completes_forgets_what_was_cancelled_on_the_way() throws Exception {
    WorkflowDefinition flow = workflow("some", par(scope("R", effect("A")), skip()));
    WorkflowDefinition next = workflow("next", scope("R", effect("A")), skip());
    try (var engine = open(flow)) {
      engine.register(next);
      var run = engine.start(next, "one", Context.empty());
      run.complete("R");

      assertThat(run.await()).isInstanceOf(CaseResult.Completed.class);
      assertThat(run.status().cancelled()).isEmpty();
    }
  }

  @Test
  void a_listener_of_a_scope_is_notified_of_its_cancellation_and_of_nothing_else()
      throws Exception {
    WorkflowDefinition flow = workflow("two", scope("R", scope("Q", WAIT)), scope("S", WAIT));
    var heard = new java.util.concurrent.LinkedBlockingQueue<ScopeCancelled>();
    var options = options().withCancelListener("Q", heard::add).withCancelListener("S", heard::add);
    try (var engine = Engine.open(options, store, flow)) {
      var run = engine.start(flow, "one", Context.empty());
      run.signal("go");
      run.signal("go");
      run.await();
      var other = engine.start(flow, "two", Context.empty());
      other.cancel("R");

      assertThat(heard.take()).isEqualTo(new ScopeCancelled("two", "Q"));
      assertThat(heard).isEmpty();
    }
  }

  @Test
  void a_reason_that_is_too_long_is_refused() {
    WorkflowDefinition flow = workflow("wait", WAIT);
    try (var engine = open(flow)) {
      engine.start(flow, "one", Context.empty());

      assertThatThrownBy(() -> engine.cancel("one", "case", "x".repeat(1_001)))
          .hasMessageContaining("1000 characters");
    }
  }
}
