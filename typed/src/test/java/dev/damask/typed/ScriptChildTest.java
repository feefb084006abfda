package dev.damask.typed;

import static dev.damask.typed.Steps.defer;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.on;
import static dev.damask.typed.Steps.script;
import static dev.damask.typed.Steps.task;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.Run;
import dev.damask.effect.EffectException;
import dev.damask.event.Failure;
import dev.damask.family.CaseFamily;
import dev.damask.script.StepFailedException;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.term.Workflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Scripts that start child cases and wait for them.
@Timeout(60)
final class ScriptChildTest extends ScriptFlow {
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(20));

  private final MemoryStore store = new MemoryStore();
  private final AtomicInteger runs = new AtomicInteger();

  private static Workflow<Integer, String> waiting() {
    return workflow(
        "waiting",
        N,
        TEXT,
        defer(on(GO, task("join", N, GO.payload(), (n, text) -> text + n).as(TEXT))));
  }

  private Workflow<Integer, String> parent(ScriptHandlers.Script1<Integer, String> code) {
    return workflow(
        "parent",
        N,
        TEXT,
        script("s", N, (Integer n, Script script) -> counted(code, n, script))
            .inMemoryFor(Duration.ofMillis(20))
            .as(TEXT));
  }

  private String counted(ScriptHandlers.Script1<Integer, String> code, int n, Script script)
      throws Exception {
    runs.incrementAndGet();
    return code.run(n, script);
  }

  private static String broken(int n) throws EffectException {
    throw new EffectException("broken", "by the test " + n);
  }

  private static String childOf(Engine engine, String parent) {
    List<CaseFamily.Child> children = List.of();
    while (children.isEmpty() || children.getFirst().status().isEmpty()) {
      children = engine.family(parent).children();
      LockSupport.parkNanos(100_000);
    }
    return children.getFirst().caseId();
  }

  @Test
  void a_script_leaves_memory_while_its_child_waits_and_continues_after_a_restart() {
    Workflow<Integer, String> parent =
        parent((n, script) -> script.child("c", waiting(), n) + script.child("c", waiting(), 9));
    String child;
    try (Engine engine = Engine.open(OPTIONS, store, parent)) {
      engine.start(parent, "one", 7);
      child = childOf(engine, "one");
      while (engine.status("one").status() != CaseStatus.WAITING) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(engine.status("one").tasks()).extracting(PendingTask::task).contains("s/c");
    }

    try (Engine engine = Engine.open(OPTIONS, store.reopened(), parent)) {
      assertThat(childOf(engine, "one")).isEqualTo(child);
      while (!engine.missingPrograms().isEmpty()) {
        LockSupport.parkNanos(100_000); // the script makes the workflow of its child known
      }
      engine.run(waiting(), child).signal(GO, "a");
      List<CaseFamily.Child> both = new ArrayList<>();
      while (both.size() < 2) {
        both = new ArrayList<>(engine.family("one").children());
        LockSupport.parkNanos(100_000);
      }
      both.removeIf(each -> each.caseId().equals(child));
      String second = both.getFirst().caseId();
      while (engine.family("one").children().stream().anyMatch(c -> c.status().isEmpty())) {
        LockSupport.parkNanos(100_000);
      }
      engine.run(waiting(), second).signal(GO, "b");

      assertThat(engine.run(parent, "one").join()).isEqualTo("a7b9");
      assertThat(engine.family(child).parent().orElseThrow().caseId()).isEqualTo("one");
    }
    assertThat(runs.get()).isGreaterThan(1);
  }

  @Test
  void a_child_is_cancelled_with_its_script() throws InterruptedException {
    Workflow<Integer, String> parent = parent((n, script) -> script.child("c", waiting(), n));
    try (Engine engine = Engine.open(OPTIONS, store, parent)) {
      engine.start(parent, "one", 7);
      String child = childOf(engine, "one");

      engine.cancel("one");

      assertThat(engine.await(child)).isInstanceOf(CaseResult.Cancelled.class);
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Cancelled.class);
    }
  }

  @Test
  void a_child_that_fails_is_a_failed_step_that_the_script_may_catch() {
    Workflow<Integer, String> failing =
        workflow("failing", N, TEXT, effect("f", N, ScriptChildTest::broken).as(TEXT));
    Workflow<Integer, String> parent =
        parent((n, script) -> {
          try {
            return script.child("c", failing, n);
          } catch (StepFailedException e) {
            return e.reason();
          }
        });

    try (Engine engine = Engine.open(OPTIONS, store, parent)) {
      assertThat(engine.start(parent, "one", 7).join()).isEqualTo("child");
    }
  }

  @Test
  void a_script_that_starts_itself_without_end_is_stopped() {
    AtomicReference<Workflow<Integer, String>> self = new AtomicReference<>();
    Workflow<Integer, String> parent =
        parent((n, script) -> {
          try {
            return script.child("c", self.get(), n + 1);
          } catch (StepFailedException e) {
            return n + " " + e.reason();
          }
        });
    self.set(parent);

    try (Engine engine = Engine.open(OPTIONS, store, parent)) {
      Run<String> run = engine.start(parent, "one", 0);

      assertThat(run.join()).isEqualTo("50 " + Failure.CALL_DEPTH);
    }
  }
}
