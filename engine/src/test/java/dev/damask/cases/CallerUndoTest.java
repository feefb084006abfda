package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.event.Reply;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Turns of callers that break or are in progress when the engine closes.
@Timeout(60)
final class CallerUndoTest extends CallerThreads {
  private static Context failOnce(AtomicInteger tries, Context context, Error error) {
    if (tries.incrementAndGet() == 1) {
      throw error;
    }
    return context;
  }

  @Test
  void an_error_in_the_turn_of_a_caller_is_tried_again_on_the_shard() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    WorkflowDefinition deep =
        workflow(
            "deep",
            defer(
                on(
                    "go",
                    task(
                        "t",
                        c ->
                            failOnce(
                                tries, note("t" + tries.get(), c), new StackOverflowError())))));
    try (Engine engine = open(options(), deep, noting())) {
      engine.start(deep, "one", Context.empty());

      assertThat(engine.signal("one", "go", Map.of("n", 1)).kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.await("one")).isEqualTo(new CaseResult.Completed<>(Context.of("n", 1)));
      assertThat(threads).containsEntry("t0", here());
      assertThat(threads.get("t1")).contains(SHARD);
      assertThat(engine.statistics().shardRestarts()).isZero();
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void a_start_that_breaks_on_a_callers_stack_starts_the_case_on_the_shard() throws Exception {
    WorkflowDefinition deep = workflow("deep", task("t", c -> recurse(c, 2_000)));
    try (Engine engine = open(options(), deep, noting())) {
      // A small stack: the function fits on the shard's and not on what is left of this one.
      AtomicReference<@Nullable CaseResult<Context>> result = new AtomicReference<>();
      Thread small =
          new Thread(
              null,
              () -> {
                try {
                  result.set(engine.start(deep, "one", Context.empty()).await());
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              },
              "small",
              160 << 10);
      small.start();
      small.join();

      assertThat(result.get()).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.verify()).isEmpty();
    }
  }

  private static Context recurse(Context context, int depth) {
    return depth == 0 ? context : recurse(context.with("depth", depth), depth - 1).with("up", 1);
  }

  @Test
  void an_error_that_comes_again_quarantines_the_case() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    WorkflowDefinition bad =
        workflow(
            "bad",
            defer(
                on(
                    "go",
                    task(
                        "t",
                        c -> {
                          tries.incrementAndGet();
                          throw new AssertionError("made up");
                        }))));
    try (Engine engine = open(options(), bad, noting())) {
      engine.start(bad, "one", Context.empty());

      assertThatThrownBy(() -> engine.signal("one", "go", Map.of()))
          .hasMessageContaining("quarantined");
      assertThat(tries).hasValue(2);
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Stuck.class);
    }
  }

  /// The call that was in flight before the turn broke is neither repeated nor forgotten.
  @Test
  void a_turn_that_is_undone_keeps_the_calls_and_functions_in_flight() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch free = new CountDownLatch(1);
    WorkflowDefinition flow =
        workflow(
            "flow",
            par(
                effect("ask").atMostOnce(),
                task(
                        "slow",
                        c -> {
                          runs.incrementAndGet();
                          await(free);
                          return c;
                        })
                    .slow(),
                defer(on("go", task("t", c -> failOnce(tries, c, new StackOverflowError()))))));
    EngineOptions asked =
        options()
            .withHandler(
                "ask",
                _ -> {
                  calls.incrementAndGet();
                  free.await();
                  return Map.of("answer", 42);
                });
    try (Engine engine = open(asked, flow, noting())) {
      engine.start(flow, "one", Context.empty());
      while (calls.get() == 0 || runs.get() == 0) {
        LockSupport.parkNanos(100_000);
      }
      engine.signal("one", "go", Map.of());
      free.countDown();

      assertThat(engine.await("one"))
          .isEqualTo(new CaseResult.Completed<>(Context.of("answer", 42)));
      assertThat(tries).hasValue(2);
      assertThat(calls).hasValue(1);
      assertThat(runs).hasValue(1);
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void a_caller_in_user_code_is_left_behind_when_the_engine_closes() throws Exception {
    CountDownLatch moving = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    WorkflowDefinition stuck =
        workflow(
            "stuck",
            task(
                "s",
                c -> {
                  moving.countDown();
                  await(free);
                  return c;
                }));
    Engine engine = open(options(), stuck, noting());
    Thread caller =
        start(() -> {
          try {
            engine.start(stuck, "one", Context.empty());
          } catch (IllegalStateException e) {
            thrown.set(e);
          }
        });
    await(moving);
    engine.close();
    free.countDown();
    caller.join();

    assertThat(engine.leftBehind()).singleElement().asString().contains("case one");
    assertThat(thrown.get()).hasMessageContaining("closed");
    assertThat(memory.record("one")).isEmpty();
  }

  @Test
  void what_a_caller_had_accepted_is_durable_after_close() throws Exception {
    Engine engine = open(options(), noting(), waiting());
    engine.start(waiting(), "one", Context.empty());
    engine.close();

    assertThat(memory.record("one")).isPresent();
    assertThatThrownBy(() -> engine.signal("one", "go", Map.of())).hasMessageContaining("closed");
    assertThatThrownBy(() -> engine.await("first")).hasMessageContaining("closed");
  }

  @Test
  void skip_ends_at_once() throws Exception {
    WorkflowDefinition nothing = workflow("nothing", skip());
    try (Engine engine = open(options(), nothing, noting())) {
      assertThat(engine.start(nothing, "one", Context.empty()).await())
          .isEqualTo(new CaseResult.Completed<>(Context.empty()));
    }
  }
}
