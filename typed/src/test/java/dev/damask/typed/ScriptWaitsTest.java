package dev.damask.typed;

import static dev.damask.typed.Steps.script;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.Run;
import dev.damask.effect.EffectLimit;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.value.Key;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What scripts wait for: times, signals, and results while they are out of memory.
@Timeout(60)
final class ScriptWaitsTest extends ScriptFlow {
  @Test
  void a_query_finds_the_cases_whose_scripts_await_a_signal() {
    Workflow<Integer, String> flow =
        workflow(
            "flow",
            N,
            TEXT,
            script("s", N, (Integer n, Script script) -> script.await(GO))
                .inMemoryFor(Duration.ofHours(1))
                .as(TEXT));

    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      while (engine.list(CaseQuery.ALL.waitingFor("go")).cases().isEmpty()) {
        LockSupport.parkNanos(100_000); // until the script, which stays in memory, awaits
      }
      run.signal(GO, "x");

      assertThat(run.join()).isEqualTo("x");
      assertThat(engine.list(CaseQuery.ALL.waitingFor("go")).cases()).isEmpty();
    }
  }

  @Test
  void a_script_sleeps_and_awaits_signals_that_no_term_declares() {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          script.sleep(Duration.ofMillis(10));
          boolean isNone = script.await(GO, Duration.ofMillis(10)).isEmpty();
          String first = script.await(GO);
          String second = script.await(GO, Duration.ofDays(1)).orElseThrow();
          return isNone + " " + first + " " + second;
        });

    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      awaits(run, "s/await go#2");
      run.signal(GO, "x");
      run.signal(GO, "y");

      assertThat(run.join()).isEqualTo("true x y");
    }
  }

  private static void awaits(Run<?> run, String step) {
    while (run.status().task(step).isEmpty()) {
      LockSupport.parkNanos(100_000);
    }
  }

  @Test
  void a_signal_that_comes_first_is_kept_and_each_is_taken_once() {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          script.run("a", call -> done("a"));
          return script.await(GO)
              + script.await(Signal.of("other", String.class))
              + script.await(GO);
        });

    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      run.signal(GO, "1");
      run.signal(Signal.of("other", String.class), "2");
      run.signal(GO, "3");

      assertThat(run.join()).isEqualTo("123");
    }
  }

  private static void refused(Run<?> run, Object payload) {
    assertThatThrownBy(() -> run.signal("go", Map.of("go", payload)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("case one: signal go: go: a String is expected, found the integer 7");
  }

  @Test
  void a_payload_of_another_type_is_refused_while_a_script_awaits_the_signal() {
    Workflow<Integer, String> flow =
        workflow(
            "flow",
            N,
            TEXT,
            script("s", N, (Integer n, Script script) -> script.await(GO))
                .inMemoryFor(Duration.ofMillis(1))
                .as(TEXT));
    MemoryStore store = new MemoryStore();

    try (Engine engine = Engine.open(EngineOptions.defaults(), store, flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      awaits(run, "s/await go");
      refused(run, 7);
      engine.pause("one", "a look");
      refused(run, 7);
      engine.resume("one");
      assertThatThrownBy(() -> run.signal("go", Map.of()))
          .hasMessage("case one: signal go: go: missing; String is expected");
    }

    // The workflow is still the same object, so another engine knows what its script awaits.
    try (Engine engine = Engine.open(EngineOptions.defaults(), store.reopened(), flow)) {
      Run<String> run = engine.run(flow, "one");
      refused(run, 7);
      run.signal(GO, "x");

      assertThat(run.join()).isEqualTo("x");
    }
  }

  @Test
  void a_declared_signal_is_checked_before_the_script_awaits_it() {
    Signal<Void> later = Signal.of("later");
    Workflow<Integer, String> flow =
        workflow(
            "flow",
            N,
            TEXT,
            script(
                    "s",
                    N,
                    (Integer n, Script script) -> {
                      script.await(later);
                      return script.await(GO);
                    })
                .awaits(GO, later)
                .as(TEXT));

    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      refused(run, 7);
      run.signal(GO, "x");
      run.signal(later);

      assertThat(run.join()).isEqualTo("x");
    }
  }

  @Test
  void two_awaits_of_one_signal_accept_the_payload_of_either() {
    Signal<Integer> number = Signal.of("go", Integer.class);
    Workflow<Integer, String> flow =
        workflow(
            "flow",
            N,
            TEXT,
            script("s", N, (Integer n, Script script) -> script.await(GO) + script.await(number))
                .awaits(GO, number)
                .as(TEXT));

    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      assertThatThrownBy(() -> run.signal("go", Map.of("go", true)))
          .hasMessageContaining("go: a String is expected, found the boolean true");
      run.signal(GO, "x");
      run.signal(number, 7);

      assertThat(run.join()).isEqualTo("x7");
    }
  }

  @Test
  void a_place_that_terms_use_serves_them_first() {
    Key<String> taken = Key.of("taken", String.class);
    Workflow<Integer, String> flow =
        workflow(
            "flow",
            N,
            TEXT,
            Steps.par(
                Steps.defer(
                    Steps.on(GO, Steps.task("take", GO.payload(), go -> "term " + go).as(taken))),
                script("s", N, (n, script) -> "script " + script.await(GO))
                    .as(Key.of("mine", String.class))),
            Steps.task("both", taken, Key.of("mine", String.class), (a, b) -> a + ", " + b)
                .as(TEXT));

    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      awaits(run, "s/await go");
      run.signal(GO, "1");
      run.signal(GO, "2");

      assertThat(run.join()).isEqualTo("term 1, script 2");
    }
  }

  @Test
  void a_waiting_script_leaves_memory_and_runs_again_without_calling_its_steps() {
    AtomicInteger runs = new AtomicInteger();
    Workflow<Integer, String> flow =
        workflow(
            "flow",
            N,
            TEXT,
            script(
                    "s",
                    N,
                    (n, script) -> {
                      runs.incrementAndGet();
                      String at = script.now() + " " + script.random() + " " + script.uuid();
                      script.call("a", String.class, call -> done(at));
                      String go = script.await(GO);
                      return script.call("b", String.class, call -> done(at) + go);
                    })
                .inMemoryFor(Duration.ofMillis(1))
                .as(TEXT));

    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      while (run.status().status() != CaseStatus.WAITING) {
        LockSupport.parkNanos(100_000);
      }
      run.signal(GO, "!");

      String result = run.join();

      assertThat(runs.get()).isEqualTo(2);
      assertThat(calls).hasSize(2);
      assertThat(calls.poll() + "!").isEqualTo(result).isEqualTo(calls.poll() + "!");
    }
  }

  @Test
  void a_script_that_catches_our_error_has_no_result_and_may_not_go_on() {
    AtomicReference<Throwable> again = new AtomicReference<>();
    Workflow<Integer, String> flow =
        workflow(
            "flow",
            N,
            TEXT,
            script(
                    "s",
                    N,
                    (n, script) -> {
                      try {
                        return script.await(GO);
                      } catch (Error e) {
                        try {
                          script.run("a", call -> done("a"));
                        } catch (Error second) {
                          again.set(second);
                        }
                        return "caught";
                      }
                    })
                .inMemoryFor(Duration.ofMillis(1))
                .as(TEXT));

    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      while (again.get() == null || run.status().status() != CaseStatus.WAITING) {
        LockSupport.parkNanos(100_000);
      }
      run.signal(GO, "done");

      assertThat(run.join()).isEqualTo("done");
      assertThat(calls).isEmpty();
    }
  }

  @Test
  void the_timeout_of_the_task_runs_on_while_the_script_is_out_of_memory() {
    Workflow<Integer, String> flow =
        workflow(
            "flow",
            N,
            TEXT,
            script("s", N, (n, script) -> script.await(GO))
                .inMemoryFor(Duration.ofMillis(1))
                .timeout(Duration.ofMillis(100))
                .as(TEXT));

    assertThatThrownBy(() -> joined(flow, 1)).hasMessageContaining("timeout in task s");
  }

  @Test
  void steps_appear_in_the_trace() {
    Workflow<Integer, String> flow =
        flow((n, script) -> script.call("a", String.class, call -> done("a")));

    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      run.join();

      assertThat(run.trace().stream().map(each -> each.kind() + " " + each.subject()))
          .containsSubsequence("STARTED s", "STARTED s/a", "COMPLETED s/a", "COMPLETED s");
    }
  }

  @Test
  void steps_wait_for_the_permits_of_their_type() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Workflow<Integer, String> flow =
        flow((n, script) ->
            String.join(
                "",
                script.all(
                    List.of("a", "b", "c", "d"),
                    4,
                    item ->
                        script.call(
                            "limited",
                            String.class,
                            call -> {
                              most.accumulateAndGet(running.incrementAndGet(), Math::max);
                              Thread.sleep(2);
                              running.decrementAndGet();
                              return item;
                            }))));
    EngineOptions options = EngineOptions.defaults().withLimit("limited", EffectLimit.atOnce(1));

    try (Engine engine = Engine.open(options, new MemoryStore(), flow)) {
      assertThat(engine.start(flow, "one", 1).join()).isEqualTo("abcd");
    }
    assertThat(most.get()).isEqualTo(1);
  }
}
