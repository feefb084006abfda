package dev.damask.typed;

import static dev.damask.typed.Steps.action;
import static dev.damask.typed.Steps.defer;
import static dev.damask.typed.Steps.emit;
import static dev.damask.typed.Steps.expired;
import static dev.damask.typed.Steps.par;
import static dev.damask.typed.Steps.script;
import static dev.damask.typed.Steps.seq;
import static dev.damask.typed.Steps.taking;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.description.Description;
import dev.damask.store.CaseStatus;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a script may rely on: copies, recorded values, and its place among other tokens.
@Timeout(60)
final class ScriptContractTest {
  private static final Key<Integer> N = Key.of("n", Integer.class);
  private static final Key<String> TEXT = Key.of("text", String.class);
  private static final Signal<String> GO = Signal.of("go", String.class);
  private static final Signal<Void> READY = Signal.of("ready");

  private final Queue<String> calls = new ConcurrentLinkedQueue<>();

  /// A value that its owner can change.
  record Basket(List<String> items) {}

  private static Workflow<Integer, String> flow(ScriptHandlers.Script1<Integer, String> code) {
    return workflow(
        "flow", N, TEXT, script("s", N, code).inMemoryFor(Duration.ofMillis(10)).as(TEXT));
  }

  @Test
  void also_the_first_run_sees_the_stored_copy_of_a_result() {
    AtomicReference<Basket> original = new AtomicReference<>();
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          Basket basket =
              script.call(
                  "fill",
                  Basket.class,
                  call -> {
                    Basket made = new Basket(new ArrayList<>(List.of("a")));
                    original.set(made);
                    return made;
                  });
          original.get().items().add("b"); // nothing that the script sees
          return basket.items() + " " + (basket == original.get());
        });

    try (Engine engine = Engine.open(flow)) {
      assertThat(engine.start(flow, "one", 1).join()).isEqualTo("[a] false");
    }
  }

  @Test
  void time_chance_and_ids_are_the_same_in_every_run() {
    List<String> seen = new CopyOnWriteArrayList<>();
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          seen.add(script.now() + " " + script.random() + " " + script.uuid());
          return script.await(GO);
        });

    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      while (run.status().status() != CaseStatus.WAITING) {
        LockSupport.parkNanos(100_000); // until the script has left memory
      }
      run.signal(GO, "x");
      assertThat(run.join()).isEqualTo("x");
    }

    assertThat(seen).hasSizeGreaterThan(1);
    assertThat(seen.stream().distinct()).hasSize(1);
  }

  @Test
  void a_script_that_runs_is_live_so_what_follows_it_may_still_come() {
    Workflow<Integer, Context> flow =
        workflow(
            "flow",
            N,
            par(
                seq(
                    script("s", N, (Integer n, Script script) -> script.await(GO)).as(TEXT),
                    emit(READY)),
                defer(
                    taking(READY, action("taken", N, n -> calls.add("taken"))),
                    expired(action("expired", N, n -> calls.add("expired"))))));

    try (Engine engine = Engine.open(flow)) {
      Run<Context> run = engine.start(flow, "one", 1);
      run.signal(GO, "x");
      run.join();
    }

    assertThat(calls).containsExactly("taken");
  }

  @Test
  void a_script_that_runs_emits_nothing_so_no_join_waits_for_it() {
    Workflow<Integer, Context> flow =
        workflow(
            "flow",
            N,
            par(
                script("s", N, (Integer n, Script script) -> script.await(GO)).as(TEXT),
                defer(
                    taking(READY, action("taken", N, n -> calls.add("taken"))),
                    expired(action("expired", N, n -> calls.add("expired"))))));

    try (Engine engine = Engine.open(flow)) {
      Run<Context> run = engine.start(flow, "one", 1);
      while (calls.isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(calls).containsExactly("expired");
      run.signal(GO, "x");
      run.join();
    }
  }

  @Test
  void a_script_has_no_retry_of_its_own() {
    assertThat(Arrays.stream(TypedScript.class.getMethods()).map(method -> method.getName()))
        .doesNotContain("retry", "atMostOnce", "onExhausted");
  }

  @Test
  void tasks_have_the_line_on_which_they_are_written() {
    Workflow<Integer, Context> flow =
        workflow(
            "flow",
            N,
            action("first", N, n -> calls.add("first")),
            action("second", N, n -> calls.add("second")));

    List<Integer> lines =
        Description.lines(flow.definition()).entrySet().stream()
            .filter(each -> each.getKey().matches("do\\[\\d]"))
            .map(each -> each.getValue().split(":", -1))
            .peek(parts -> assertThat(parts[0]).isEqualTo("ScriptContractTest.java"))
            .map(parts -> Integer.valueOf(parts[1]))
            .toList();

    assertThat(lines).hasSize(2);
    assertThat(lines.get(1)).isEqualTo(lines.get(0) + 1);
  }
}
