package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.park;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.caller.PendingTask;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.Receipt;
import dev.damask.event.Failure;
import dev.damask.event.Reply;
import dev.damask.ops.Incident;
import dev.damask.ops.IncidentQuery;
import dev.damask.ops.Incidents;
import dev.damask.store.MemoryStore;
import dev.damask.task.Delivery;
import dev.damask.task.Retry;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tasks that wait for an operator after their last attempt.
@Timeout(20)
final class IncidentsTest {
  private static final Retry TWICE = new Retry(2, Duration.ZERO, 1.0, 0.0);

  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final List<String> keys = new CopyOnWriteArrayList<>();
  private final ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();

  private EngineOptions options() {
    return EngineOptions.defaults().withShards(2).withClock(clock).withGrace(Duration.ofMillis(20));
  }

  private @Nullable Object perform(EffectCall call) throws Exception {
    keys.add(call.attempt() + " " + call.key());
    Exception failure = failures.poll();
    if (failure != null) {
      throw failure;
    }
    return Map.of("paid", true);
  }

  private Term.Task pay() {
    return effect("pay", EffectHandler.withCall(this::perform)).retry(TWICE).onExhausted(park());
  }

  private WorkflowDefinition flow() {
    return workflow("order", pay(), task("after", context -> context.with("after", true)));
  }

  private void failing(int times) {
    for (int i = 0; i < times; i++) {
      failures.add(new EffectException("down", "the bank is down"));
    }
  }

  private static Incident incident(Engine engine) {
    return engine.incidents().list().getFirst();
  }

  private static void awaitIncidents(Engine engine, int count) {
    while (engine.incidents().list().size() != count) {
      LockSupport.parkNanos(100_000);
    }
  }

  @Test
  void a_task_that_parks_is_an_incident_after_its_last_attempt_and_is_listed_and_counted() {
    failing(2);
    var flow = flow();
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      awaitIncidents(engine, 1);

      assertThat(incident(engine).toString())
          .isEqualTo(
              "case one: task pay#1 of workflow order is an incident after attempt 2: down: the"
                  + " bank is down");
      assertThat(engine.status("one").status()).isEqualTo(dev.damask.store.CaseStatus.WAITING);
      assertThat(engine.status("one").tasks().getFirst().isIncident()).isTrue();
      assertThat(engine.statistics().incidents()).isOne();
      assertThat(keys).hasSize(2);
    }
  }

  @Test
  void an_incident_survives_a_restart_and_one_more_attempt_with_the_same_key_completes_it()
      throws Exception {
    failing(3);
    var flow = flow();
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      awaitIncidents(engine, 1);
    }

    try (var engine = Engine.open(options(), store.reopened(), flow)) {
      assertThat(engine.statistics().incidents()).isOne();
      assertThat(keys).hasSize(2);
      Incident first = incident(engine);
      assertThat(engine.incidents().retry("one", first.id()).kind()).isEqualTo(Reply.ACCEPTED);
      while (keys.size() < 3) {
        LockSupport.parkNanos(100_000);
      }
      awaitIncidents(engine, 1);
      assertThat(incident(engine).attempt()).isEqualTo(3);
      assertThat(engine.incidents().retry("one", first.id()).kind()).isEqualTo(Reply.ACCEPTED);

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(keys.stream().map(each -> each.split(" ", -1)[1]).distinct()).hasSize(1);
      assertThat(keys.stream().map(each -> each.split(" ", -1)[0]))
          .containsExactly("1", "2", "3", "4");
      assertThat(engine.incidents().list()).isEmpty();
      assertThat(engine.statistics().incidents()).isZero();
    }
  }

  @Test
  void an_operator_skips_a_task_with_a_result_and_fails_another_with_a_reason() throws Exception {
    failing(4);
    var flow = flow();
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      engine.start(flow, "two", Context.empty());
      awaitIncidents(engine, 2);
      Incidents incidents = engine.incidents();
      Incident one = incidents.list(IncidentQuery.ALL.withCase("one")).getFirst();
      Incident two = incidents.list(IncidentQuery.ALL.withCase("two")).getFirst();

      incidents.skip("one", one.id(), Map.of("paid", "by hand"));
      incidents.fail("two", two.id(), "hopeless");

      assertThat(engine.await("one"))
          .isInstanceOfSatisfying(
              CaseResult.Completed.class,
              completed ->
                  assertThat(((Context) completed.result()).get("paid")).isEqualTo("by hand"));
      Failure failure = ((CaseResult.Failed<Context>) engine.await("two")).error();
      assertThat(failure.reason()).isEqualTo("hopeless");
      assertThat(failure.detail()).isEqualTo("the bank is down");
      assertThat(engine.receipts("one").getLast().body().result())
          .isInstanceOf(Receipt.Result.Ok.class);
      assertThat(incidents.retry("one", one.id()).kind()).isEqualTo(Reply.CASE_ENDED);
      assertThat(engine.statistics().incidents()).isZero();
    }
  }

  @Test
  void an_operator_ends_the_delay_before_the_next_attempt() throws Exception {
    failing(2);
    Retry slow = new Retry(3, Duration.ofHours(1), 1.0, 0.0);
    var flow = workflow("order", pay().retry(slow));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      for (int attempt = 2; attempt <= 3; attempt++) {
        PendingTask task = between(engine, attempt);
        assertThat(engine.incidents().retry("one", task.id()).kind()).isEqualTo(Reply.ACCEPTED);
      }

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(keys).hasSize(3);
      assertThat(engine.verify()).isEmpty();
      assertThat(engine.history("one").replay()).isEmpty();
    }
  }

  private static PendingTask between(Engine engine, int attempt) {
    while (true) {
      PendingTask task = engine.status("one").tasks().getFirst();
      if (task.attempt() == attempt && task.notBefore().isPresent()) {
        return task;
      }
      LockSupport.parkNanos(100_000);
    }
  }

  @Test
  void all_incidents_that_match_are_retried_at_once() {
    failing(6);
    var flow = flow();
    var other = workflow("other", pay());
    try (var engine = Engine.open(options(), store, flow, other)) {
      engine.start(flow, "one", Context.empty());
      engine.start(flow, "two", Context.empty());
      engine.start(other, "three", Context.empty());
      awaitIncidents(engine, 3);

      List<Incident> retried =
          engine.incidents().retryAll(IncidentQuery.ALL.withWorkflow("order").withReason("down"));

      assertThat(retried).extracting(Incident::caseId).containsExactlyInAnyOrder("one", "two");
      awaitIncidents(engine, 1);
      assertThat(incident(engine).caseId()).isEqualTo("three");
      assertThat(engine.incidents().retryAll(IncidentQuery.ALL.withReason("other"))).isEmpty();
    }
  }

  @Test
  void a_permanent_failure_and_an_excluded_reason_fail_the_task_at_once() throws Exception {
    failures.add(EffectException.permanent("refused", "the card is stolen"));
    var flow = workflow("order", pay());
    var excluding = workflow("other", pay().retry(TWICE.except("refused")));
    try (var engine = Engine.open(options(), store, flow, excluding)) {
      engine.start(flow, "one", Context.empty());
      assertThat(((CaseResult.Failed<Context>) engine.await("one")).error().reason())
          .isEqualTo("refused");
      failures.add(new EffectException("refused"));
      engine.start(excluding, "two", Context.empty());
      assertThat(((CaseResult.Failed<Context>) engine.await("two")).error().reason())
          .isEqualTo("refused");

      assertThat(keys).hasSize(2);
      assertThat(engine.incidents().list()).isEmpty();
    }
  }

  @Test
  void an_at_most_once_effect_with_an_unknown_outcome_parks_and_an_operator_may_send_it_again()
      throws Exception {
    failures.add(new IllegalStateException("connection reset"));
    var flow = workflow("order", pay().retry(Retry.NONE).delivery(Delivery.AT_MOST_ONCE));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      awaitIncidents(engine, 1);
      assertThat(incident(engine).reason()).isEqualTo("unknown_outcome");
      assertThat(incident(engine).detail()).contains("connection reset");

      engine.incidents().retry("one", incident(engine).id());

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(keys).hasSize(2);
    }
  }

  @Test
  void a_late_failure_of_an_attempt_that_timed_out_does_not_end_the_incident() throws Exception {
    CountDownLatch isCalled = new CountDownLatch(1);
    Semaphore returns = new Semaphore(0);
    var flow =
        workflow(
            "order",
            effect(
                    "pay",
                    EffectHandler.withCall(call -> {
                      isCalled.countDown();
                      returns.acquireUninterruptibly();
                      keys.add("returned");
                      throw new EffectException("late");
                    }))
                .timeout(Duration.ofSeconds(5))
                .onExhausted(park()));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      isCalled.await();
      clock.advance(5_000);
      awaitIncidents(engine, 1);
      assertThat(incident(engine).reason()).isEqualTo("timeout");

      returns.release();
      while (keys.isEmpty()) {
        LockSupport.parkNanos(100_000);
      }

      assertThat(engine.status("one").tasks()).hasSize(1);
      assertThat(engine.incidents().skip("one", incident(engine).id(), Map.of()).isAccepted())
          .isTrue();
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void cancelling_the_scope_around_an_incident_ends_it() throws Exception {
    failing(2);
    var flow = workflow("order", seq(scope("region", ScopeOptions.NONE, pay())));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      awaitIncidents(engine, 1);

      engine.cancel("one", "region");

      assertThat(engine.incidents().list()).isEmpty();
      assertThat(engine.statistics().incidents()).isZero();
    }
  }

  @Test
  void a_workflow_that_parks_cannot_be_called_and_a_pure_task_cannot_park() {
    try (var engine = Engine.open(options(), store)) {
      assertThatThrownBy(() -> engine.call(flow(), Context.empty()))
          .hasMessageContaining("parks when its attempts are used up; a call has no incidents");
    }
    var pure = workflow("pure", task("a", context -> context).onExhausted(park()));
    assertThat(Engine.check(pure).getFirst().toString())
        .contains("task 'a' runs in the machine and has no attempts to use up");
  }
}
