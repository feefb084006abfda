package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseBudget;
import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.caller.PendingTask;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.Approval;
import dev.damask.effect.Approval.OnTimeout;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectIntent.Held;
import dev.damask.effect.Receipt;
import dev.damask.event.Failure;
import dev.damask.event.Reply;
import dev.damask.store.MemoryStore;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What an effect may do: allow lists, budgets, approvals, deadlines.
@Timeout(20)
final class GovernanceTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final List<String> calls = new CopyOnWriteArrayList<>();

  private EngineOptions options() {
    return EngineOptions.defaults()
        .withShards(1)
        .withClock(clock)
        .withGrace(Duration.ofMillis(20))
        .withHandler("pay", this::perform)
        .withHandler("mail", this::perform);
  }

  private Map<String, Object> perform(EffectCall call) {
    calls.add(call.task());
    return Map.of();
  }

  private static Term.Task of(String name, String type) {
    return of(name, EffectSpec.of(type), TaskOptions.DEFAULT);
  }

  private static Term.Task of(String name, EffectSpec spec, TaskOptions options) {
    return new Term.Task(name, effect(name, _ -> spec, null).work(), options, null);
  }

  private static ScopeOptions allowing(List<String> types) {
    return new ScopeOptions(null, null, null, false, types);
  }

  private static Failure failure(Engine engine, String id) throws InterruptedException {
    return ((CaseResult.Failed<Context>) engine.await(id)).error();
  }

  private static List<Receipt.Result> results(Engine engine, String id) {
    return engine.receipts(id).stream().map(each -> each.body().result()).toList();
  }

  @Test
  void a_scope_refuses_effects_of_types_it_does_not_allow_and_leaves_a_receipt() throws Exception {
    var only = allowing(List.of("mail"));
    var wide = allowing(List.of("mail", "pay"));
    var flow =
        workflow("w", scope("outer", wide, scope("inner", only, of("m", "mail"), of("p", "pay"))));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());

      assertThat(failure(engine, "one"))
          .extracting(Failure::task, Failure::reason)
          .containsExactly("p", "not_allowed");
      assertThat(calls).containsExactly("m");
      assertThat(results(engine, "one").getLast()).isInstanceOf(Receipt.Result.Refused.class);
    }
  }

  @Test
  void a_refused_effect_is_not_tried_again_whatever_its_retries() throws Exception {
    var retried = TaskOptions.DEFAULT.withRetry(new Retry(5, HOUR, 2.0, 0));
    var flow = workflow("w", of("p", EffectSpec.of("pay"), retried));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty(), CaseOptions.DEFAULT.withAllow("mail"));

      assertThat(failure(engine, "one").reason()).isEqualTo("not_allowed");
      assertThat(engine.receipts("one")).hasSize(1);
    }
  }

  @Test
  void a_budget_of_effects_survives_a_restart_and_spares_the_undoing() throws Exception {
    Term pay = of("p1", "pay").undo(of("back", "mail"));
    var flow = workflow("w", pay, defer(on("go", of("p2", "pay"))), of("p3", "pay"));
    var budget = CaseBudget.NONE.withEffects(2);
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty(), CaseOptions.DEFAULT.withBudget(budget));
      assertThat(engine.await("one", Duration.ofMillis(50))).isEmpty();
    }
    try (var engine = Engine.open(options(), store.reopened(), flow)) {
      engine.signal("one", "go", Map.of());

      assertThat(failure(engine, "one"))
          .extracting(Failure::task, Failure::reason)
          .containsExactly("p3", "budget");
      assertThat(calls).containsExactly("p1", "p2", "back");
    }
  }

  @Test
  void a_budget_of_cost_counts_what_tasks_say_they_cost() throws Exception {
    var dear = TaskOptions.DEFAULT.withCost(new BigDecimal("0.6"));
    var flow =
        workflow("w", of("a", EffectSpec.of("pay"), dear), of("b", EffectSpec.of("pay"), dear));
    var budget = CaseBudget.NONE.withCost(BigDecimal.ONE);
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty(), CaseOptions.DEFAULT.withBudget(budget));

      assertThat(failure(engine, "one").detail()).contains("may cost 1", "would cost 1.2");
      assertThat(calls).containsExactly("a");
    }
  }

  @Test
  void a_budget_of_time_refuses_effects_that_come_late() throws Exception {
    var flow = workflow("w", defer(on("go", of("p", "pay"))));
    var budget = CaseBudget.NONE.withTime(HOUR);
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty(), CaseOptions.DEFAULT.withBudget(budget));
      clock.advance(HOUR.toMillis());
      engine.signal("one", "go", Map.of());

      assertThat(failure(engine, "one").reason()).isEqualTo("budget");
      assertThat(calls).isEmpty();
    }
  }

  @Test
  void a_case_fails_at_its_deadline_after_undoing_also_across_a_restart() throws Exception {
    var flow = workflow("w", of("p", "pay").undo(of("back", "mail")), defer(on("go", skip())));
    var own = CaseOptions.DEFAULT.withDeadline(HOUR);
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty(), own);
      assertThat(engine.await("one", Duration.ofMillis(50))).isEmpty();
      assertThat(engine.status("one").nextDue()).hasValue(1_000_000 + HOUR.toMillis());
    }
    clock.advance(HOUR.toMillis());
    try (var engine = Engine.open(options(), store.reopened(), flow)) {
      assertThat(failure(engine, "one").reason()).isEqualTo("deadline");
      assertThat(calls).containsExactly("p", "back");
    }
  }

  private static WorkflowDefinition asking(String name, Map<String, Object> with) {
    return workflow(
        name,
        of("ask", new EffectSpec("approval", Context.from(with), null), TaskOptions.DEFAULT),
        task("then", c -> c.with("then", true)));
  }

  @Test
  void an_approval_waits_for_a_decision_of_one_of_its_approvers() throws Exception {
    var flow = asking("asking", Map.of("question", "ship it?", "approvers", List.of("eve")));
    try (var engine = Engine.open(options(), store, flow)) {
      var run = engine.start(flow, "one", Context.empty());
      PendingTask pending = run.status().tasks().getFirst();

      assertThat(pending.held()).isEqualTo(Held.FOR_DECISION);
      assertThat(engine.decide("one", pending.id(), true, "mallory").kind())
          .isEqualTo(Reply.REJECTED);
      assertThat(engine.decide("one", pending.id(), true, "eve").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(run.await())
          .isEqualTo(
              new CaseResult.Completed<>(
                  Context.of("approved", true, "by", "eve").with("then", true)));
      assertThat(engine.decide("one", pending.id(), true, "eve").kind())
          .isEqualTo(Reply.CASE_ENDED);
    }
  }

  @Test
  void no_way_in_decides_for_the_approvers() throws Exception {
    var flow = asking("asking", Map.of("question", "ship it?", "approvers", List.of("eve")));
    try (var engine = Engine.open(options(), store, flow)) {
      var run = engine.start(flow, "one", Context.empty());
      var id = run.status().tasks().getFirst().id();

      for (Map<String, Object> result :
          List.<Map<String, Object>>of(
              Map.of(),
              Map.of("approved", true),
              Map.of("approved", true, "by", "mallory"),
              Map.of("approved", true, "by", List.of("eve")))) {
        assertThat(engine.completeTask("one", id, result).kind()).isEqualTo(Reply.REJECTED);
        assertThat(run.completeTask(id, result).kind()).isEqualTo(Reply.REJECTED);
      }
      assertThat(engine.failTask("one", id, "no").kind()).isEqualTo(Reply.REJECTED);
      assertThat(engine.receipts("one")).isEmpty();
      assertThat(engine.completeTask("one", id, Map.of("approved", true, "by", "eve")).kind())
          .isEqualTo(Reply.ACCEPTED);
      assertThat(run.await()).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void an_effect_that_needs_an_approval_has_no_result_before_it_is_approved() throws Exception {
    var flow = workflow("w", of("a", "pay"));
    var guarded = options().withApproval("pay", Approval.of("pay?").withApprovers("eve"));
    try (var engine = Engine.open(guarded, store, flow)) {
      engine.start(flow, "one", Context.empty());
      var id = engine.status("one").tasks().getFirst().id();

      assertThat(engine.completeTask("one", id, Map.of("approved", true, "by", "eve")).kind())
          .isEqualTo(Reply.REJECTED);
      assertThat(engine.failTask("one", id, "no").kind()).isEqualTo(Reply.REJECTED);
    }
    try (var engine = Engine.open(options(), store.reopened(), flow)) {
      var id = engine.status("one").tasks().getFirst().id();
      assertThat(engine.decide("one", id, true, "mallory").kind()).isEqualTo(Reply.REJECTED);
      assertThat(engine.decide("one", id, true, "eve").kind()).isEqualTo(Reply.REJECTED);
      assertThat(engine.cancelTask("one", id).kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(calls).isEmpty();
    }
  }

  @Test
  void effects_behind_an_approval_point_are_sent_only_after_somebody_agreed() throws Exception {
    var flow = workflow("w", par(of("a", "pay"), of("b", "pay")), of("m", "mail"));
    var guarded = options().withApproval("pay", Approval.of("pay?").withApprovers("eve"));
    try (var engine = Engine.open(guarded, store, flow)) {
      engine.start(flow, "one", Context.empty());
      assertThat(calls).isEmpty();
    }
    try (var engine = Engine.open(guarded, store.reopened(), flow)) {
      List<PendingTask> held = engine.status("one").tasks();
      engine.decide("one", held.get(0).id(), true, "eve");
      engine.decide("one", held.get(1).id(), true, "eve");

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(calls).containsExactlyInAnyOrder("a", "b", "m").endsWith("m");
      assertThat(results(engine, "one")).contains(new Receipt.Result.Approved("eve"));
    }
  }

  @Test
  void a_rejected_effect_is_never_sent() throws Exception {
    var flow = workflow("w", of("a", "pay"));
    var guarded =
        options().withApproval("pay", Approval.of("pay?").withWithin(HOUR, OnTimeout.ESCALATE));
    try (var engine = Engine.open(guarded, store, flow)) {
      engine.start(flow, "one", Context.empty());
      engine.start(flow, "two", Context.empty());
      engine.decide("one", engine.status("one").tasks().getFirst().id(), false, "eve");
      assertThat(failure(engine, "one").reason()).isEqualTo("rejected");

      clock.advance(HOUR.toMillis());
      assertThat(failure(engine, "two").reason()).isEqualTo("escalated");
      assertThat(calls).isEmpty();
    }
  }
}
