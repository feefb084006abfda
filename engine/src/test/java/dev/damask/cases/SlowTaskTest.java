package dev.damask.cases;

import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.Receipt;
import dev.damask.event.Reply;
import dev.damask.store.MemoryStore;
import dev.damask.task.Retry;
import dev.damask.task.TaskFunction;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.TaskResult;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Task functions that run outside of their shard: slow ones, and those with a timeout or retries.
@Timeout(20)
final class SlowTaskTest {
  /// How long anything here waits. A function that runs in its shard holds up the test itself, and
  /// the caller of `start` cannot be interrupted.
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final MemoryStore store = new MemoryStore();
  private final Semaphore begun = new Semaphore(0);
  private final CountDownLatch go = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(20));
  }

  private TaskResult slowly(Context context) {
    begun.release();
    try {
      hold(go);
    } catch (InterruptedException e) {
      interrupted.countDown();
      throw new IllegalStateException(e);
    }
    return context.with("rated", true).without("draft");
  }

  /// Waits in a task function, whose error would be repeated in the shard.
  private static void hold(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException("held for too long");
    }
  }

  private static void require(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
  }

  private void awaitBegun() throws InterruptedException {
    assertThat(begun.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
  }

  private static CaseResult<Context> end(Engine engine, String caseId) throws InterruptedException {
    return engine.await(caseId, PATIENCE).orElseThrow();
  }

  @Test
  void a_slow_task_holds_up_no_other_case() throws Exception {
    WorkflowDefinition slow = workflow("slow", task("rate", this::slowly).slow());
    WorkflowDefinition quick = workflow("quick", task("set", c -> c.with("done", true)));
    try (var engine = Engine.open(options(), store, slow, quick)) {
      var rating = engine.start(slow, "one", Context.of("n", 1).with("draft", true));
      awaitBegun();
      engine.start(quick, "two", Context.empty());
      CaseResult<Context> other = end(engine, "two");
      go.countDown();

      assertThat(other).isEqualTo(new CaseResult.Completed<>(Context.of("done", true)));
      assertThat(end(engine, "one"))
          .isEqualTo(new CaseResult.Completed<>(Context.of("n", 1).with("rated", true)));
      assertThat(rating.receipts()).isEmpty();
      assertThat(engine.statistics().effects()).isZero();
    }
  }

  @Test
  void a_slow_task_runs_again_after_a_crash() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch never = new CountDownLatch(1);
    TaskFunction function =
        c -> {
          if (runs.incrementAndGet() > 1) {
            return slowly(c);
          }
          begun.release();
          try {
            hold(never); // the engine that crashes: its result must not come in
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return c;
        };
    WorkflowDefinition slow = workflow("slow", task("rate", function).slow());
    var crashed = Engine.open(options(), store, slow);
    crashed.start(slow, "one", Context.empty());
    awaitBegun();

    try (var engine = Engine.open(options(), store.reopened(), slow)) {
      awaitBegun();
      go.countDown();

      assertThat(end(engine, "one"))
          .isEqualTo(new CaseResult.Completed<>(Context.of("rated", true)));
      assertThat(engine.verify()).isEmpty();
    } finally {
      crashed.close();
    }
  }

  @Test
  void a_slow_task_that_its_engine_interrupts_at_its_end_runs_again_in_the_next() throws Exception {
    WorkflowDefinition slow = workflow("slow", task("rate", this::slowly).slow());
    try (var engine = Engine.open(options(), store, slow)) {
      engine.start(slow, "one", Context.empty());
      awaitBegun();
    }
    require(interrupted);
    go.countDown();
    try (var engine = Engine.open(options(), store.reopened(), slow)) {
      assertThat(end(engine, "one")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void the_timeout_of_a_function_is_honoured() throws Exception {
    WorkflowDefinition slow =
        workflow("slow", task("rate", this::slowly).timeout(Duration.ofMinutes(1)));
    VirtualClock clock = new VirtualClock(0);
    try (var engine = Engine.open(options().withClock(clock), store, slow)) {
      engine.start(slow, "one", Context.empty());
      awaitBegun();
      clock.advance(60_000);

      CaseResult<Context> result = end(engine, "one");
      assertThat(((CaseResult.Failed<Context>) result).error().reason()).isEqualTo("timeout");
      require(interrupted);
    }
  }

  @Test
  void the_retry_of_a_function_is_honoured() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    TaskFunction failing =
        c -> runs.incrementAndGet() < 3 ? new TaskResult.Failed("busy") : c.with("n", 3);
    WorkflowDefinition flow =
        workflow("retried", task("try", failing).retry(new Retry(3, Duration.ZERO, 1, 0)));
    try (var engine = Engine.open(options(), store, flow)) {
      assertThat(engine.start(flow, "one", Context.empty()).await())
          .isEqualTo(new CaseResult.Completed<>(Context.of("n", 3)));
      assertThat(runs).hasValue(3);
    }
  }

  @Test
  void a_slow_task_may_request_an_effect() throws Exception {
    EffectSpec mail = new EffectSpec("mail", Context.of("to", "eve"), null);
    WorkflowDefinition flow =
        workflow("ask", task("ask", c -> new TaskResult.Wants(mail, c.with("asked", 1))).slow());
    var options = options().withHandler("mail", call -> Map.of("sent", call.with().get("to")));
    try (var engine = Engine.open(options, store, flow)) {
      var run = engine.start(flow, "one", Context.empty());

      assertThat(end(engine, "one"))
          .isEqualTo(new CaseResult.Completed<>(Context.of("asked", 1).with("sent", "eve")));
      assertThat(run.receipts())
          .extracting(each -> each.body().result())
          .containsExactly(new Receipt.Result.Ok(Context.of("sent", "eve")));
    }
  }

  @Test
  void cancelling_interrupts_a_slow_task_and_nobody_else_can_complete_it() throws Exception {
    WorkflowDefinition slow = workflow("slow", task("rate", this::slowly).slow());
    try (var engine = Engine.open(options(), store, slow)) {
      var run = engine.start(slow, "one", Context.empty());
      awaitBegun();
      var pending = run.status().tasks().getFirst();

      assertThat(run.completeTask(pending.id(), Map.of()).kind()).isEqualTo(Reply.REJECTED);
      run.cancel();
      require(interrupted);
      assertThat(end(engine, "one")).isEqualTo(new CaseResult.Cancelled<>("case", "requested"));
      assertThat(run.receipts()).isEmpty();
    }
  }

  @Test
  void an_error_in_a_slow_task_fails_it() throws Exception {
    TaskFunction broken =
        _ -> {
          throw new StackOverflowError("made up");
        };
    WorkflowDefinition flow = workflow("broken", task("break", broken).slow());
    try (var engine = Engine.open(options(), store, flow)) {
      CaseResult<Context> result = engine.start(flow, "one", Context.empty()).await();

      assertThat(((CaseResult.Failed<Context>) result).error().reason()).isEqualTo("exception");
    }
  }
}
