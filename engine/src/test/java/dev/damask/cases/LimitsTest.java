package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectLimit;
import dev.damask.effect.Pause;
import dev.damask.effect.Permits;
import dev.damask.store.MemoryStore;
import dev.damask.task.Delivery;
import dev.damask.task.Retry;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Limits of effect types, on the engine.
@Timeout(30)
final class LimitsTest {
  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final Semaphore returns = new Semaphore(0);
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  private EngineOptions options(EffectLimit limit) {
    return EngineOptions.defaults()
        .withShards(2)
        .withClock(clock)
        .withGrace(Duration.ofMillis(20))
        .withHandler("pay", this::perform)
        .withLimit("pay", limit);
  }

  private @Nullable Object perform(EffectCall call) throws InterruptedException {
    most.accumulateAndGet(running.incrementAndGet(), Math::max);
    calls.add(call.caseId());
    try {
      returns.acquire();
    } finally {
      running.decrementAndGet();
    }
    return Map.of();
  }

  private static Term.Task pay() {
    return effect("pay", _ -> EffectSpec.of("pay"), null);
  }

  private static WorkflowDefinition flow() {
    return workflow("w", pay());
  }

  private static void until(java.util.function.BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(100_000);
    }
  }

  @Test
  void calls_beyond_the_limit_wait_durably_without_a_thread_and_are_visible() throws Exception {
    var flow = flow();
    try (var engine = Engine.open(options(EffectLimit.atOnce(2)), store, flow)) {
      for (int i = 0; i < 20; i++) {
        engine.start(flow, "c" + i, Context.empty());
      }
      until(() -> calls.size() == 2 && engine.statistics().waitingForPermit() == 18);

      Permits.View view = engine.limits().getFirst();
      assertThat(view.running()).isEqualTo(2);
      assertThat(view.waiting()).isEqualTo(18);
      assertThat(view.first()).hasSize(18);
      String waiting = view.first().getFirst().owner().caseId();
      assertThat(engine.status(waiting).tasks().getFirst().pause())
          .contains(new Pause.Permit(1_000_000));
      assertThat(engine.statistics().openCalls()).isEqualTo(2);

      returns.release(20);
      for (int i = 0; i < 20; i++) {
        assertThat(engine.await("c" + i)).isInstanceOf(CaseResult.Completed.class);
      }
      assertThat(most.get()).isEqualTo(2);
      assertThat(engine.statistics().waitingForPermit()).isZero();
      assertThat(engine.limits().getFirst().running()).isZero();
    }
  }

  @Test
  void an_engine_that_dies_loses_no_permit_and_no_place_in_the_queue() throws Exception {
    var flow = flow();
    List<String> order = new ArrayList<>();
    try (var engine = Engine.open(options(EffectLimit.atOnce(1)), store, flow)) {
      for (int i = 0; i < 6; i++) {
        engine.start(flow, "c" + i, Context.empty());
        int waiting = i;
        until(() -> calls.size() + engine.statistics().waitingForPermit() == waiting + 1);
        order.add("c" + i);
        clock.advance(10);
      }
    }
    calls.clear();

    returns.release(6);
    try (var engine = Engine.open(options(EffectLimit.atOnce(1)), store.reopened(), flow)) {
      for (String each : order) {
        assertThat(engine.await(each)).isInstanceOf(CaseResult.Completed.class);
      }
      assertThat(calls).containsExactlyElementsOf(order);
      assertThat(most.get()).isOne();
      assertThat(engine.limits().getFirst().running()).isZero();
    }
  }

  @Test
  void a_rate_holds_over_a_restart() throws Exception {
    var flow = flow();
    returns.release(100);
    try (var engine = Engine.open(options(EffectLimit.perSecond(2)), store, flow)) {
      for (int i = 0; i < 5; i++) {
        engine.start(flow, "c" + i, Context.empty());
      }
      until(() -> calls.size() == 2 && engine.statistics().waitingForPermit() == 3);
    }

    try (var engine = Engine.open(options(EffectLimit.perSecond(2)), store.reopened(), flow)) {
      until(() -> engine.statistics().waitingForPermit() == 3);
      clock.advance(999);
      assertThat(calls).hasSize(2);
      clock.advance(1);
      until(() -> calls.size() == 4);
      assertThat(engine.statistics().waitingForPermit()).isOne();
      clock.advance(1_000);
      until(() -> calls.size() == 5);
    }
  }

  @Test
  void at_most_one_call_per_customer_is_in_progress() throws Exception {
    var flow = flow();
    try (var engine = Engine.open(options(EffectLimit.perKey("customer", 1)), store, flow)) {
      engine.start(flow, "a1", Context.of("customer", "acme"));
      until(() -> calls.size() == 1);
      engine.start(flow, "a2", Context.of("customer", "acme"));
      engine.start(flow, "b1", Context.of("customer", "blue"));
      until(() -> calls.size() == 2 && engine.statistics().waitingForPermit() == 1);

      assertThat(calls).containsExactly("a1", "b1");
      returns.release(3);
      assertThat(engine.await("a2")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void cancelling_a_case_that_waits_or_is_called_frees_its_place() throws Exception {
    var flow = flow();
    try (var engine = Engine.open(options(EffectLimit.atOnce(1)), store, flow)) {
      engine.start(flow, "one", Context.empty());
      until(() -> calls.size() == 1);
      engine.start(flow, "two", Context.empty());
      engine.start(flow, "three", Context.empty());
      until(() -> engine.statistics().waitingForPermit() == 2);

      engine.cancel("two");
      until(() -> engine.statistics().waitingForPermit() == 1);
      engine.cancel("one");
      until(() -> calls.size() == 2);

      assertThat(calls).containsExactly("one", "three");
      returns.release();
      assertThat(engine.await("three")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.limits().getFirst().running()).isZero();
    }
  }

  @Test
  void every_attempt_needs_a_permit_and_the_timeout_runs_only_while_a_call_is_in_progress()
      throws Exception {
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    var options =
        options(EffectLimit.perSecond(1))
            .withHandler(
                "pay",
                call -> {
                  attempts.add(call.attempt());
                  if (call.attempt() < 3) {
                    throw new EffectException("busy");
                  }
                  return Map.of();
                });
    var flow =
        workflow(
            "w",
            pay().timeout(Duration.ofMillis(500)).retry(new Retry(3, Duration.ZERO, 1.0, 0.0)));
    try (var engine = Engine.open(options, store, flow)) {
      engine.start(flow, "one", Context.empty());
      for (int attempt = 1; attempt <= 3; attempt++) {
        int expected = attempt;
        until(() -> attempts.size() == expected);
        if (attempt < 3) {
          until(() -> engine.statistics().waitingForPermit() == 1);
          clock.advance(1_000);
        }
      }

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(attempts).containsExactly(1, 2, 3);
    }
  }

  @Test
  void an_at_most_once_effect_that_waited_when_the_engine_died_is_called_once() throws Exception {
    var flow = workflow("w", pay().delivery(Delivery.AT_MOST_ONCE));
    try (var engine = Engine.open(options(EffectLimit.atOnce(1)), store, flow)) {
      engine.start(flow, "one", Context.empty());
      until(() -> calls.size() == 1);
      engine.start(flow, "two", Context.empty());
      until(() -> engine.statistics().waitingForPermit() == 1);
    }
    returns.release(2);

    try (var engine = Engine.open(options(EffectLimit.atOnce(1)), store.reopened(), flow)) {
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Failed.class);
      assertThat(engine.await("two")).isInstanceOf(CaseResult.Completed.class);
      assertThat(calls).containsExactly("one", "two");
    }
  }

  @Test
  void a_call_takes_a_free_permit_and_refuses_a_limit_per_second() throws Exception {
    var flow = seq(pay());
    var called = workflow("called", flow);
    returns.release(1);
    try (var engine = Engine.open(options(EffectLimit.perKey("customer", 1)), store)) {
      engine.call(called, Context.of("customer", "acme"));
      var held = workflow("w", pay());
      engine.start(held, "one", Context.of("customer", "acme"));
      until(() -> calls.size() == 2);

      assertThatThrownBy(() -> engine.call(called, Context.of("customer", "acme")))
          .hasMessageContaining("as many effects of type pay run as may run at once");
      returns.release(1);
      engine.await("one");
    }
    try (var engine = Engine.open(options(EffectLimit.perSecond(5)), store.reopened())) {
      assertThatThrownBy(() -> engine.call(called, Context.empty()))
          .hasMessageContaining(
              "task 'pay' is an effect of type pay, which has a limit per second; start a case");
    }
  }

  @Test
  void a_function_of_a_limit_that_fails_fails_the_task() throws Exception {
    var broken =
        EffectLimit.NONE.withPerKey(
            context -> {
              throw new IllegalStateException("no customer");
            },
            1);
    var flow = flow();
    try (var engine = Engine.open(options(broken), store, flow)) {
      engine.start(flow, "one", Context.empty());

      var failed = (CaseResult.Failed<Context>) engine.await("one");
      assertThat(failed.error().reason()).isEqualTo("expression");
      assertThat(failed.error().detail()).contains("no customer");
    }
  }
}
