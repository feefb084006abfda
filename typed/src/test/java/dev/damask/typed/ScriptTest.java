package dev.damask.typed;

import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.fail;
import static dev.damask.typed.Steps.script;
import static dev.damask.typed.Steps.scriptAction;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseFailedException;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.Run;
import dev.damask.effect.Approval;
import dev.damask.effect.CaseScope;
import dev.damask.effect.EffectException;
import dev.damask.effect.Receipt;
import dev.damask.event.Failure;
import dev.damask.ops.Incident;
import dev.damask.script.StepFailedException;
import dev.damask.task.Retry;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the steps of a script do in a running engine: results, failures, undo, answers and misuse.
@Timeout(60)
final class ScriptTest extends ScriptFlow {
  private static List<String> tasks(Engine engine) {
    return engine.receipts("one").stream().map(each -> each.body().task()).toList();
  }

  @Test
  void a_script_without_a_step_is_a_function() {
    assertThat(joined(flow((n, script) -> "n" + n), 3)).isEqualTo("n3");
  }

  @Test
  void a_script_may_return_nothing() {
    Workflow<Integer, Context> flow =
        workflow(
            "flow", N, scriptAction("s", N, (n, script) -> script.run("a", c -> done("a" + n))));

    try (Engine engine = Engine.open(flow)) {
      engine.start(flow, "one", 1).join();
    }

    assertThat(calls).containsExactly("a1");
  }

  @Test
  void items_of_all_run_at_once_up_to_the_limit_and_return_in_list_order() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Workflow<Integer, String> flow =
        flow((n, script) ->
            String.join(
                ",",
                script.all(
                    List.of(1, 2, 3, 4, 5, 6),
                    3,
                    item -> {
                      String first =
                          script.call(
                              "a",
                              String.class,
                              call -> {
                                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                                Thread.sleep(7 - item);
                                running.decrementAndGet();
                                return "a" + item;
                              });
                      return script.call("b", String.class, call -> first + "b");
                    })));

    assertThat(joined(flow, 1)).isEqualTo("a1b,a2b,a3b,a4b,a5b,a6b");
    assertThat(most.get()).isBetween(2, 3);
  }

  @Test
  void the_first_failure_of_all_cancels_the_others_and_is_thrown() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          try {
            script.all(
                List.of(0, 1),
                2,
                item ->
                    script.call(
                        "a",
                        String.class,
                        call -> {
                          if (item == 1) {
                            begun.await();
                            throw new EffectException("broken", "by the test");
                          }
                          begun.countDown();
                          never.await();
                          return "late";
                        }));
            return "not thrown";
          } catch (StepFailedException e) {
            return script.call("b", String.class, call -> e.reason() + " in " + e.step());
          }
        });

    try (Engine engine = Engine.open(flow)) {
      assertThat(engine.start(flow, "one", 1).join()).isEqualTo("broken in s/all:1/a");
      assertThat(tasks(engine)).contains("s/all:0/a", "s/all:1/a", "s/all", "s/b");
      assertThat(
              engine.receipts("one").stream()
                  .filter(each -> each.body().task().equals("s/all:0/a"))
                  .map(each -> each.body().result()))
          .containsExactly(new Receipt.Result.Cancelled());
    }
  }

  @Test
  void a_step_is_tried_again_and_then_fails_with_its_reason() {
    AtomicInteger attempts = new AtomicInteger();
    StepOptions<String> thrice =
        StepOptions.<String>standard().retry(new Retry(3, Duration.ofMillis(5), 1.0, 0));
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          String first =
              script.call(
                  "a",
                  String.class,
                  thrice,
                  call -> {
                    if (attempts.incrementAndGet() < 3) {
                      throw new EffectException("busy", "not yet");
                    }
                    return "a" + call.attempt();
                  });
          try {
            return script.call(
                "b",
                String.class,
                thrice,
                call -> {
                  attempts.incrementAndGet();
                  throw new EffectException("busy", "never");
                });
          } catch (StepFailedException e) {
            return first + " " + e.reason() + " " + attempts.get();
          }
        });

    assertThat(joined(flow, 1)).isEqualTo("a3 busy 6");
  }

  @Test
  void the_code_of_a_script_has_the_scope_of_its_case() {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          String inItem =
              String.join(
                  "", script.all(List.of(1), 1, item -> CaseScope.current().orElseThrow().task()));
          String inStep =
              script.call("a", String.class, call -> CaseScope.current().orElseThrow().task());
          return CaseScope.current().orElseThrow().caseId() + " " + inItem + " " + inStep;
        });

    assertThat(joined(flow, 1)).isEqualTo("one s s/a");
  }

  @Test
  void an_attempt_that_takes_too_long_fails_with_timeout() {
    Workflow<Integer, String> flow =
        flow((n, script) ->
            script.call(
                "a",
                String.class,
                StepOptions.<String>standard().timeout(Duration.ofMillis(20)),
                call -> {
                  new CountDownLatch(1).await();
                  return "never";
                }));

    assertThatThrownBy(() -> joined(flow, 1))
        .isInstanceOf(CaseFailedException.class)
        .hasMessageContaining("timeout");
  }

  @Test
  void an_exception_fails_the_task_with_the_reason_of_the_step_or_exception() {
    Workflow<Integer, String> step =
        flow((n, script) ->
            script.call(
                "a",
                String.class,
                call -> {
                  throw new EffectException("refused", "by the bank");
                }));
    Workflow<Integer, String> own =
        flow((n, script) -> {
          throw new IllegalArgumentException("n is " + n);
        });

    assertThatThrownBy(() -> joined(step, 1)).hasMessageContaining("refused in task s");
    assertThatThrownBy(() -> joined(own, 1))
        .hasMessageContaining("exception in task s")
        .hasMessageContaining("n is 1");
  }

  @Test
  void an_error_is_an_incident_that_an_operator_retries_skips_or_fails() {
    AtomicBoolean isBroken = new AtomicBoolean(true);
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          script.run("a", call -> done("a"));
          if (isBroken.get()) {
            throw new AssertionError("a bug of the script");
          }
          return "fixed";
        });

    try (Engine engine = Engine.open(flow)) {
      Run<String> retried = engine.start(flow, "one", 2);
      Incident incident = incident(engine);
      isBroken.set(false);
      engine.incidents().retry("one", incident.id());
      assertThat(incident.toString()).contains("a bug of the script");
      assertThat(retried.join()).isEqualTo("fixed");
      assertThat(calls).containsExactly("a");

      isBroken.set(true);
      Run<String> skipped = engine.start(flow, "two", 1);
      engine.incidents().skip("two", incident(engine).id(), Map.of("text", "skipped"));
      assertThat(skipped.join()).isEqualTo("skipped");

      Run<String> failed = engine.start(flow, "three", 1);
      Incident last = incident(engine);
      isBroken.set(false); // the undo runs the script again
      engine.incidents().fail("three", last.id(), "given_up");
      assertThatThrownBy(failed::join).hasMessageContaining("given_up in task s");
    }
  }

  private static Incident incident(Engine engine) {
    while (engine.incidents().list().isEmpty()) {
      LockSupport.parkNanos(100_000);
    }
    return engine.incidents().list().getFirst();
  }

  @Test
  void a_function_another_thread_and_code_after_the_end_may_not_use_the_script() throws Exception {
    AtomicReference<Script> kept = new AtomicReference<>();
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          kept.set(script);
          String inside = script.call("a", String.class, call -> thrown(() -> script.now()));
          AtomicReference<String> other = new AtomicReference<>();
          Thread thread = new Thread(() -> other.set(thrown(() -> script.uuid())));
          thread.start();
          thread.join();
          return inside + " and " + other.get();
        });

    assertThat(joined(flow, 1)).isEqualTo("IllegalStateException and IllegalStateException");
    assertThatThrownBy(() -> kept.get().now())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("only the thread of the script may use it");
  }

  private static String thrown(Runnable action) {
    try {
      action.run();
      return "nothing";
    } catch (IllegalStateException e) {
      return e.getClass().getSimpleName();
    }
  }

  private StepOptions<String> undone(String name) {
    return StepOptions.<String>standard()
        .undo((result, call) -> done("undo " + name + " " + result));
  }

  @Test
  void a_failing_script_undoes_its_steps_in_reverse_order() {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          script.call("a", String.class, undone("a"), call -> done("a"));
          script.call("b", String.class, undone("b"), call -> done("b"));
          script.call("c", String.class, call -> done("c"));
          throw new IllegalStateException("planned");
        });

    assertThatThrownBy(() -> joined(flow, 1)).hasMessageContaining("planned");
    assertThat(calls).containsExactly("a", "b", "c", "undo b b", "undo a a");
  }

  @Test
  void a_completed_script_is_undone_with_its_scope() {
    Workflow<Integer, String> flow =
        workflow(
            "flow",
            N,
            TEXT,
            script(
                    "s",
                    N,
                    (n, script) -> script.call("a", String.class, undone("a"), call -> done("a")))
                .as(TEXT),
            fail("later"));

    assertThatThrownBy(() -> joined(flow, 1)).hasMessageContaining("later");
    assertThat(calls).containsExactly("a", "undo a a");
  }

  @Test
  void a_cancelled_script_is_undone_and_its_open_step_is_not() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          script.call("a", String.class, undone("a"), call -> done("a"));
          return script.call(
              "b",
              String.class,
              undone("b"),
              call -> {
                waiting.countDown();
                new CountDownLatch(1).await();
                return "b";
              });
        });

    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      waiting.await();
      run.cancel();

      assertThat(run.await()).isInstanceOf(CaseResult.Cancelled.class);
      assertThat(calls).containsExactly("a", "undo a a");
    }
  }

  @Test
  void views_show_open_steps_and_operators_answer_them() {
    Workflow<Integer, String> flow =
        flow((n, script) ->
            script.call(
                    "a",
                    String.class,
                    call -> {
                      new CountDownLatch(1).await();
                      return "never";
                    })
                + script.await(GO));

    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      awaits(run, "s/a");
      run.completeTask("s/a", Map.of("value", "x"));
      awaits(run, "s/await go");
      CaseView view = run.status();
      run.completeTask("s/await go", Map.of("go", "y"));

      assertThat(view.tasks().stream().map(PendingTask::task)).contains("s", "s/await go");
      assertThat(view.places()).containsExactly("go");
      assertThat(run.join()).isEqualTo("xy");
    }
  }

  @Test
  void a_step_whose_type_needs_an_approval_waits_for_it() {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          String first = script.call("pay", String.class, call -> done("pay"));
          try {
            return first + script.call("pay", String.class, call -> done("pay"));
          } catch (StepFailedException e) {
            return first + " " + e.reason();
          }
        });
    EngineOptions options = EngineOptions.defaults().withApproval("pay", Approval.of("eve"));

    try (Engine engine = Engine.open(options, new dev.damask.store.MemoryStore(), flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      awaits(run, "s/pay");
      assertThat(calls).isEmpty();
      engine.decide("one", run.status().task("s/pay").orElseThrow().id(), true, "eve");
      awaits(run, "s/pay#2");
      engine.decide("one", run.status().task("s/pay#2").orElseThrow().id(), false, "eve");

      assertThat(run.join()).isEqualTo("pay " + Failure.REJECTED);
      assertThat(calls).containsExactly("pay");
    }
  }

  @Test
  void a_script_runs_a_child_case() {
    Workflow<Integer, String> child =
        workflow("child", N, TEXT, effect("double", N, n -> "n" + 2 * n).as(TEXT));
    Workflow<Integer, String> flow =
        flow((n, script) -> script.child("c", child, n) + script.child("c", child, n + 1));

    assertThat(joined(flow, 1)).isEqualTo("n2n4");
  }

  @Test
  void scripts_run_in_instances_and_each_has_its_own_steps() {
    Key<List<Integer>> numbers = Key.list("numbers", Integer.class);
    Key<List<String>> texts = Key.list("texts", String.class);
    Workflow<List<Integer>, List<String>> flow =
        workflow(
            "flow",
            numbers,
            texts,
            Steps.each(
                    numbers,
                    N,
                    script(
                            "s",
                            N,
                            (n, script) ->
                                script.call("a", String.class, call -> "a" + n)
                                    + script.call("a", String.class, call -> "b" + n))
                        .as(TEXT))
                .collect(TEXT, texts));

    try (Engine engine = Engine.open(flow)) {
      List<Integer> input = new ArrayList<>(List.of(1, 2, 3));
      assertThat(engine.start(flow, "one", input).join()).containsExactly("a1b1", "a2b2", "a3b3");
    }
  }

  @Test
  void too_many_steps_fail_with_what_to_use_instead() {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          for (int i = 0; i < 10_000; i++) {
            script.now();
          }
          return script.call("a", String.class, call -> done("a"));
        });

    assertThatThrownBy(() -> joined(flow, 1))
        .hasMessageContaining("limit in task s")
        .hasMessageContaining("at most 10000 steps")
        .hasMessageContaining("use a loop or a child case");
    assertThat(calls).isEmpty();
  }

  private static void awaits(Run<?> run, String step) {
    while (run.status().task(step).isEmpty()) {
      LockSupport.parkNanos(100_000);
    }
  }
}
