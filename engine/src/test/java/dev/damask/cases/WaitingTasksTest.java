package dev.damask.cases;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.set;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.caller.PendingTask;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.Receipt;
import dev.damask.event.Reply;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.task.Expression;
import dev.damask.task.Retry;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tasks that only wait: `sleep` and `approval`.
@Timeout(60)
final class WaitingTasksTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000);

  private Engine open(MemoryStore on, WorkflowDefinition... workflows) {
    EngineOptions options =
        EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(20)).withClock(clock);
    return Engine.open(options, on, workflows);
  }

  private static Term.Task waiting(String type, Map<String, ?> with) {
    return effect(type, _ -> new EffectSpec(type, Context.from(with), null), null);
  }

  private static Term.Task approval(String onTimeout) {
    return waiting(
        "approval", Map.of("question", "ship?", "within", "PT1H", "onTimeout", onTimeout));
  }

  private static ScopeOptions lateAfter(Duration time) {
    Term late = set("late", Expression.constant(true));
    return new ScopeOptions(time, late, null, false, null);
  }

  @Test
  void a_failure_between_two_attempts_is_late_and_the_next_attempt_can_be_answered() {
    Term.Task task = effect("A").retry(new Retry(2, HOUR, 1.0, 0.0));
    WorkflowDefinition workflow = workflow("w", task);
    try (Engine engine = open(store, workflow)) {
      engine.start(workflow, "one", Context.empty());

      assertThat(engine.failTask("one", "A", "busy").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.failTask("one", "A", "busy").kind()).isEqualTo(Reply.LATE);
      assertThat(results(engine, "one")).hasSize(1);
      clock.advance(HOUR.toMillis());

      assertThat(engine.completeTask("one", "A", Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.COMPLETED);
    }
  }

  private static List<Receipt.Result> results(Engine engine, String caseId) {
    return engine.receipts(caseId).stream().map(each -> each.body().result()).toList();
  }

  /// Asks the shard, which has dealt with the time before it answers.
  private void pass(Engine engine, Duration time) {
    clock.advance(time.toMillis());
    engine.status("one");
  }

  @Test
  void a_sleep_completes_when_its_time_has_passed_and_not_before() throws Exception {
    var nap = workflow("nap", waiting("sleep", Map.of("for", "PT1H")));
    try (var engine = open(store, nap)) {
      engine.start(nap, "one", Context.empty());

      pass(engine, HOUR.minusMillis(1));
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
      assertThat(engine.status("one").nextDue()).hasValue(1_000 + HOUR.toMillis());

      pass(engine, Duration.ofMillis(1));
      assertThat(engine.await("one")).isEqualTo(new CaseResult.Completed<>(Context.empty()));
      assertThat(results(engine, "one")).containsExactly(new Receipt.Result.Ok(Context.empty()));
      assertThat(engine.statistics().effects()).isZero();
    }
  }

  @Test
  void a_sleep_goes_on_after_a_restart_and_does_not_begin_anew() throws Exception {
    var nap = workflow("nap", waiting("sleep", Map.of("for", 3600)));
    try (var first = open(store, nap)) {
      first.start(nap, "one", Context.empty());
      pass(first, HOUR.dividedBy(2));
    }

    try (var engine = open(store.reopened(), nap)) {
      assertThat(engine.status("one").nextDue()).hasValue(1_000 + HOUR.toMillis());
      long revision = engine.status("one").revision();
      pass(engine, HOUR.dividedBy(2));

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.status("one").revision()).isEqualTo(revision + 1);
    }
  }

  @Test
  void a_sleep_that_ended_during_an_outage_is_not_beaten_by_a_later_time_out() throws Exception {
    var nap =
        workflow(
            "nap",
            scope("s", lateAfter(HOUR.multipliedBy(2)), waiting("sleep", Map.of("for", 3600))));
    try (var first = open(store, nap)) {
      first.start(nap, "one", Context.empty());
    }
    clock.advance(HOUR.toMillis() * 10);

    try (var engine = open(store.reopened(), nap)) {
      assertThat(engine.await("one")).isEqualTo(new CaseResult.Completed<>(Context.empty()));
    }
  }

  @Test
  void a_sleep_loses_against_an_earlier_timer_of_the_workflow() throws Exception {
    var nap = workflow("nap", scope("s", lateAfter(HOUR), waiting("sleep", Map.of("for", "PT2H"))));
    try (var engine = open(store, nap)) {
      engine.start(nap, "one", Context.empty());
      pass(engine, HOUR);

      assertThat(engine.await("one"))
          .isEqualTo(new CaseResult.Completed<>(Context.of("late", true)));
      assertThat(results(engine, "one")).containsExactly(new Receipt.Result.Cancelled());
    }
  }

  @Test
  void two_sleeps_in_a_row_take_their_time_each() throws Exception {
    var nap =
        workflow(
            "nap",
            waiting("sleep", Map.of("for", "PT1H")),
            defer(after(HOUR, waiting("sleep", Map.of("for", "PT1H")))));
    try (var engine = open(store, nap)) {
      engine.start(nap, "one", Context.empty());
      pass(engine, HOUR);
      pass(engine, HOUR);
      pass(engine, HOUR.minusMillis(1));
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
      pass(engine, Duration.ofMillis(1));

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void a_sleep_that_makes_no_sense_fails_the_task_and_leaves_a_receipt() throws Exception {
    var nap = workflow("nap", waiting("sleep", Map.of("for", "soon")));
    try (var engine = open(store, nap)) {
      engine.start(nap, "one", Context.empty());

      CaseResult<Context> result = engine.await("one");

      assertThat(((CaseResult.Failed<Context>) result).error().reason()).isEqualTo("effect");
      assertThat(results(engine, "one"))
          .containsExactly(
              new Receipt.Result.Refused(
                  "sleep: 'for' is a duration such as PT10S or a number of seconds, found"
                      + " \"soon\""));
    }
  }

  @Test
  void an_approval_waits_for_a_decision() throws Exception {
    var ask = workflow("ask", approval("cancel"));
    try (var engine = open(store, ask)) {
      engine.start(ask, "one", Context.empty());
      PendingTask task = engine.status("one").tasks().getFirst();

      CaseReply reply = engine.completeTask("one", task.id(), Map.of("approved", true));

      assertThat(reply.kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.await("one"))
          .isEqualTo(new CaseResult.Completed<>(Context.of("approved", true)));
      pass(engine, HOUR.multipliedBy(2));
      assertThat(results(engine, "one"))
          .containsExactly(new Receipt.Result.Ok(Context.of("approved", true)));
    }
  }

  @Test
  void an_approval_without_a_decision_is_withdrawn() throws Exception {
    var ask = workflow("ask", approval("cancel"), set("next", Expression.constant(1)));
    try (var engine = open(store, ask)) {
      engine.start(ask, "one", Context.empty());
      pass(engine, HOUR);

      assertThat(engine.await("one"))
          .isEqualTo(new CaseResult.Cancelled<>("approval", "requested"));
      assertThat(results(engine, "one")).containsExactly(new Receipt.Result.Cancelled());
    }
  }

  @Test
  void an_approval_without_a_decision_takes_its_default() throws Exception {
    Map<String, ?> with =
        Map.of("within", 3600, "onTimeout", "default", "default", Map.of("approved", false));
    var ask = workflow("ask", waiting("approval", with));
    try (var first = open(store, ask)) {
      first.start(ask, "one", Context.empty());
    }
    try (var engine = open(store.reopened(), ask)) {
      pass(engine, HOUR);

      assertThat(engine.await("one"))
          .isEqualTo(new CaseResult.Completed<>(Context.of("approved", false)));
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void an_approval_without_a_decision_is_escalated_to_the_scope_around_it() throws Exception {
    var ask =
        workflow(
            "ask",
            scope(
                "asking",
                ScopeOptions.catching(waiting("approval", Map.of("question", "boss?"))),
                approval("escalate")));
    try (var engine = open(store, ask)) {
      engine.start(ask, "one", Context.empty());
      pass(engine, HOUR);

      PendingTask second = engine.status("one").tasks().getFirst();
      engine.completeTask("one", second.id(), Map.of("by", "boss"));

      Context context = ((CaseResult.Completed<Context>) engine.await("one")).result();
      assertThat(context.get("by")).isEqualTo("boss");
      assertThat((Map<?, ?>) context.get("error")).extracting("reason").isEqualTo("escalated");
      assertThat(results(engine, "one").getFirst())
          .isEqualTo(new Receipt.Result.Failed("escalated", "no approver decided: ship?"));
    }
  }

  @Test
  void an_approval_that_is_tried_again_has_its_time_again() throws Exception {
    var ask =
        workflow("ask", approval("escalate").retry(new Retry(2, Duration.ofMinutes(1), 1, 0)));
    try (var engine = open(store, ask)) {
      engine.start(ask, "one", Context.empty());
      pass(engine, HOUR);
      pass(engine, Duration.ofMinutes(1));
      pass(engine, HOUR.minusMillis(1));
      assertThat(engine.await("one", Duration.ZERO)).isEqualTo(Optional.empty());
      pass(engine, Duration.ofMillis(1));

      assertThat(((CaseResult.Failed<Context>) engine.await("one")).error().reason())
          .isEqualTo("escalated");
      assertThat(results(engine, "one")).hasSize(2);
    }
  }

  @Test
  void a_payload_with_a_field_called_until_is_nobodys_timer() throws Exception {
    var ask = workflow("ask", waiting("person", Map.of("until", 5, "$until", 5)));
    try (var engine = open(store, ask)) {
      engine.start(ask, "one", Context.empty());
      pass(engine, HOUR);

      assertThat(engine.status("one").nextDue()).isEmpty();
      assertThat(engine.status("one").tasks()).hasSize(1);
    }
  }
}
