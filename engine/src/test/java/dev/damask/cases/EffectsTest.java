package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.caller.PendingTask;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.Receipt;
import dev.damask.event.Reply;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.task.Expression;
import dev.damask.task.Retry;
import dev.damask.task.Secrets;
import dev.damask.task.TaskOptions;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.TaskResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Effects: intents before calls, receipts after them, and what a crash may repeat.
@Timeout(20)
final class EffectsTest {
  private final MemoryStore store = new MemoryStore();
  private final List<EffectCall> calls = new CopyOnWriteArrayList<>();
  private final CountDownLatch never = new CountDownLatch(1);
  private final Semaphore called = new Semaphore(0);

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(2).withGrace(Duration.ofMillis(20));
  }

  private Object hang(EffectCall call) throws InterruptedException {
    calls.add(call);
    called.release();
    never.await();
    return Map.of();
  }

  private Object answer(EffectCall call) {
    calls.add(call);
    called.release();
    return Map.of("answer", 42);
  }

  private static Term.Task with(String name, TaskOptions options) {
    return new Term.Task(name, effect(name).work(), options, null);
  }

  private static List<Class<?>> kinds(List<Receipt> receipts) {
    return receipts.stream().<Class<?>>map(each -> each.body().result().getClass()).toList();
  }

  @Test
  void a_keyed_effect_is_called_again_after_a_crash_with_the_same_id_and_key() throws Exception {
    var ask = workflow("ask", effect("ask"));
    var crashed = Engine.open(options().withHandler("ask", this::hang), store, ask);
    crashed.start(ask, "one", Context.empty());
    called.acquire();

    try (var engine =
        Engine.open(options().withHandler("ask", this::answer), store.reopened(), ask)) {
      assertThat(engine.await("one"))
          .isEqualTo(new CaseResult.Completed<>(Context.of("answer", 42)));
      assertThat(calls).hasSize(2);
      assertThat(calls.get(0).key()).isEqualTo(calls.get(1).key()).startsWith("one:");
      assertThat(calls.get(0).id()).isEqualTo(calls.get(1).id());
      assertThat(kinds(engine.receipts("one"))).containsExactly(Receipt.Result.Ok.class);
    } finally {
      crashed.close();
    }
  }

  @Test
  void an_effect_of_at_most_once_is_not_called_again_after_a_crash() throws Exception {
    var once = with("once", TaskOptions.DEFAULT.withDelivery(Delivery.AT_MOST_ONCE));
    var pay = workflow("pay", once.retry(new Retry(3, Duration.ofHours(1), 1, 0).onNotSent()));
    var crashed = Engine.open(options().withHandler("once", this::hang), store, pay);
    crashed.start(pay, "one", Context.empty());
    called.acquire();

    try (var engine =
        Engine.open(options().withHandler("once", this::answer), store.reopened(), pay)) {
      CaseResult<Context> result = engine.await("one");

      assertThat(((CaseResult.Failed<Context>) result).error().reason())
          .isEqualTo("unknown_outcome");
      assertThat(calls).hasSize(1);
      assertThat(kinds(engine.receipts("one"))).containsExactly(Receipt.Result.Indeterminate.class);
      assertThat(engine.verify()).isEmpty();
    } finally {
      crashed.close();
    }
  }

  @Test
  void an_effect_of_at_most_once_that_timed_out_is_not_sent_again() throws Exception {
    TaskOptions once =
        TaskOptions.DEFAULT
            .withDelivery(Delivery.AT_MOST_ONCE)
            .withTimeout(Duration.ofMinutes(1))
            .withRetry(new Retry(3, Duration.ZERO, 1, 0).onNotSent());
    var pay = workflow("pay", with("once", once));
    VirtualClock clock = new VirtualClock(0);
    var options = options().withHandler("once", this::hang).withClock(clock);
    try (var engine = Engine.open(options, store, pay)) {
      engine.start(pay, "one", Context.empty());
      called.acquire();
      clock.advance(60_000);
      CaseResult<Context> result = engine.await("one");

      assertThat(((CaseResult.Failed<Context>) result).error().reason())
          .isEqualTo("unknown_outcome");
      assertThat(calls).hasSize(1);
      assertThat(kinds(engine.receipts("one"))).startsWith(Receipt.Result.Indeterminate.class);
    }
  }

  @Test
  void cancelling_interrupts_the_handler_and_its_late_result_changes_nothing() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    CountDownLatch late = new CountDownLatch(1);
    var slow = workflow("slow", effect("slow"), effect("next"));
    var options =
        options()
            .withHandler(
                "slow",
                call -> {
                  called.release();
                  try {
                    never.await();
                  } catch (InterruptedException e) {
                    interrupted.countDown();
                    late.await();
                  }
                  return Map.of("late", true);
                });
    try (var engine = Engine.open(options, store, slow)) {
      var run = engine.start(slow, "one", Context.empty());
      called.acquire();
      run.cancel();
      interrupted.await();
      assertThat(run.await()).isEqualTo(new CaseResult.Cancelled<>("case", "requested"));
      late.countDown();
      while (run.receipts().size() < 2) {
        LockSupport.parkNanos(100_000);
      }

      assertThat(kinds(run.receipts()))
          .containsExactly(Receipt.Result.Cancelled.class, Receipt.Result.Late.class);
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void two_effects_with_one_key_run_once() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    TaskOptions keyed =
        TaskOptions.DEFAULT.withKey(Expression.named("'k'", _ -> "the-key")).withResult("got");
    var shared = workflow("shared", with("pay", keyed));
    var options =
        options()
            .withHandler(
                "pay",
                call -> {
                  calls.add(call);
                  called.release();
                  go.await();
                  return Map.of("n", calls.size());
                });
    try (var engine = Engine.open(options, store, shared)) {
      engine.start(shared, "one", Context.empty());
      called.acquire();
      engine.start(shared, "two", Context.empty());
      go.countDown();
      CaseResult<Context> first = engine.await("one");

      assertThat(engine.await("two")).isEqualTo(first);
      assertThat(calls).hasSize(1);
      assertThat(engine.receipts("two").getFirst().body().result())
          .isInstanceOfSatisfying(
              Receipt.Result.Duplicate.class,
              duplicate -> assertThat(duplicate.origin()).isEqualTo("one#1"));
      engine.start(shared, "three", Context.empty());
      assertThat(engine.await("three")).isEqualTo(first);
      assertThat(calls).hasSize(1);
    }
  }

  @Test
  void a_failing_handler_is_tried_again_with_the_same_key() throws Exception {
    TaskOptions patient = TaskOptions.DEFAULT.withRetry(new Retry(3, Duration.ZERO, 1, 0));
    var flaky = workflow("flaky", with("flaky", patient));
    var options =
        options()
            .withHandler(
                "flaky",
                call -> {
                  calls.add(call);
                  if (call.attempt() < 3) {
                    throw new EffectException("busy", "attempt " + call.attempt());
                  }
                  return Map.of("ok", true);
                });
    try (var engine = Engine.open(options, store, flaky)) {
      assertThat(engine.start(flaky, "one", Context.empty()).await())
          .isEqualTo(new CaseResult.Completed<>(Context.of("ok", true)));
      assertThat(calls).extracting(EffectCall::attempt).containsExactly(1, 2, 3);
      assertThat(calls).extracting(EffectCall::key).containsOnly(calls.getFirst().key());
      assertThat(kinds(engine.receipts("one")))
          .containsExactly(
              Receipt.Result.Failed.class, Receipt.Result.Failed.class, Receipt.Result.Ok.class);
    }
  }

  @Test
  void a_secret_reaches_the_handler_and_nothing_else() throws Exception {
    Context payload = Context.of("token", "Bearer " + Secrets.marker("API"));
    var call = effect("call", _ -> new EffectSpec("call", payload, null), null);
    var secret = workflow("secret", call);
    var options = options().withSecrets(name -> "canary-" + name);
    try (var engine = Engine.open(options.withHandler("call", this::answer), store, secret)) {
      engine.start(secret, "one", Context.empty()).await();

      assertThat(calls.getFirst().with().get("token")).isEqualTo("Bearer canary-API");
      assertThat(engine.receipts("one").toString()).doesNotContain("canary");
      assertThat(
              store.states("one", 1, Long.MAX_VALUE).stream()
                  .map(each -> new String(each.record().bytes(), ISO_8859_1))
                  .toList()
                  .toString())
          .doesNotContain("canary");
    }
  }

  @Test
  void a_person_answers_a_task_once() throws Exception {
    var ask = workflow("ask", par(effect("a"), effect("b")));
    try (var engine = Engine.open(options(), store, ask)) {
      var run = engine.start(ask, "one", Context.empty());
      List<EffectId> tasks = run.status().tasks().stream().map(PendingTask::id).toList();

      assertThat(run.completeTask(tasks.get(0), Map.of("x", 1)).kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(run.completeTask(tasks.get(0), Map.of("x", 2)).kind()).isEqualTo(Reply.LATE);
      assertThat(run.failTask(tasks.get(1), "no").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(run.await()).isInstanceOf(CaseResult.Failed.class);
      assertThat(kinds(run.receipts()))
          .containsExactly(
              Receipt.Result.Ok.class, Receipt.Result.Duplicate.class, Receipt.Result.Failed.class);
    }
  }

  @Test
  void no_more_calls_of_a_type_are_in_flight_than_allowed() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    var work = workflow("work", par(effect("w"), effect("w"), effect("w"), effect("w")));
    var options =
        options()
            .withCallsMax("w", 2)
            .withHandler(
                "w",
                call -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  Thread.sleep(2);
                  running.decrementAndGet();
                  return null;
                });
    try (var engine = Engine.open(options, store, work)) {
      for (int i = 0; i < 5; i++) {
        engine.start(work, "case-" + i, Context.empty());
      }
      for (int i = 0; i < 5; i++) {
        assertThat(engine.await("case-" + i)).isInstanceOf(CaseResult.Completed.class);
      }

      assertThat(most).hasValueLessThanOrEqualTo(2);
      assertThat(engine.statistics().effects()).isEqualTo(20);
    }
  }

  @Test
  void a_task_that_asks_for_an_effect_itself_gets_it() throws Exception {
    var wish =
        workflow(
            "wish",
            task(
                "wish",
                c -> new TaskResult.Wants(new EffectSpec("ask", Context.of("q", 6), null), c)));
    try (var engine = Engine.open(options().withHandler("ask", this::answer), store, wish)) {
      assertThat(engine.start(wish, "one", Context.empty()).await())
          .isEqualTo(new CaseResult.Completed<>(Context.of("answer", 42)));
      assertThat(calls.getFirst().with().get("q")).isEqualTo(6L);
    }
  }

  @Test
  void a_case_that_breaks_the_engine_is_put_aside_and_can_be_released() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    var bad = workflow("bad", defer(on("go", task("bad", c -> breakOnce(tries, c)))));
    try (var engine = Engine.open(options(), store, bad)) {
      engine.start(bad, "one", Context.empty());
      engine.start(bad, "two", Context.empty());

      assertThatThrownBy(() -> engine.signalAsync("one", "go", Map.of()).join())
          .hasMessageContaining("quarantined");
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Stuck.class);
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.QUARANTINED);
      assertThat(engine.status("one").report().getFirst()).contains("on purpose");
      assertThat(engine.signal("two", "go", Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.retry("one").isAccepted()).isTrue();
      assertThat(engine.signal("one", "go", Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.verify()).isEmpty();
    }
  }

  private static TaskResult breakOnce(AtomicInteger tries, Context context) {
    if (tries.incrementAndGet() == 1) {
      throw new AssertionError("on purpose");
    }
    return context;
  }

  @Test
  void a_case_whose_call_is_under_way_stays_in_memory_and_is_not_called_again() throws Exception {
    var ask = workflow("ask", effect("ask"));
    var gate = new Semaphore(0);
    var narrow =
        options()
            .withShards(1)
            .withResidentMax(1)
            .withHandler(
                "ask",
                call -> {
                  calls.add(call);
                  gate.acquire();
                  return Map.of("answer", 42);
                });
    try (var engine = Engine.open(narrow, store, ask)) {
      for (int i = 0; i < 5; i++) {
        engine.start(ask, "c" + i, Context.empty());
      }
      for (int i = 0; i < 5; i++) {
        assertThat(engine.status("c" + i).status()).isEqualTo(CaseStatus.WAITING);
      }
      gate.release(100);
      for (int i = 0; i < 5; i++) {
        assertThat(engine.await("c" + i)).isInstanceOf(CaseResult.Completed.class);
      }
    }
    assertThat(calls).hasSize(5);
  }
}
