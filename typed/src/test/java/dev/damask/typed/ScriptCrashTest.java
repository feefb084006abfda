package dev.damask.typed;

import static dev.damask.typed.Steps.script;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.Run;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.Receipt;
import dev.damask.ops.IncidentQuery;
import dev.damask.script.StepFailedException;
import dev.damask.store.CaseStatus;
import dev.damask.term.Workflow;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Scripts on disk whose engine is gone in the middle of a step, and scripts whose code has changed
/// when they run again.
@Timeout(60)
final class ScriptCrashTest extends ScriptFlow {
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults().withGrace(Duration.ofMillis(20));

  @TempDir Path folder;

  private final AtomicInteger runs = new AtomicInteger();
  private volatile Predicate<EffectCall> isBlocked = call -> false;
  private volatile CountDownLatch blocked = new CountDownLatch(1);

  private String done(EffectCall call, String result) throws InterruptedException {
    calls.add(call.task() + " " + call.key());
    if (isBlocked.test(call)) {
      blocked.countDown();
      new CountDownLatch(1).await();
    }
    return result;
  }

  private Engine open(Workflow<Integer, String> flow) {
    return Engine.open(OPTIONS, folder.resolve("store"), flow);
  }

  private String fiveSteps(Script script) throws Exception {
    runs.incrementAndGet();
    double random = script.random();
    String a = script.call("a", String.class, call -> done(call, "a" + random));
    List<String> items =
        script.all(
            List.of(0, 1, 2), 2, i -> script.call("b", String.class, call -> done(call, "b" + i)));
    script.sleep(Duration.ofMillis(1));
    String c = script.call("c", String.class, call -> done(call, "c"));
    return (a.equals("a" + random) ? "a" : "other") + items + c;
  }

  @ParameterizedTest
  @ValueSource(strings = {"s/a", "s/all:0/b", "s/all:1/b", "s/all:2/b", "s/c"})
  void a_crash_in_a_step_calls_that_step_again_with_its_key_and_no_other(String step)
      throws Exception {
    Workflow<Integer, String> flow = flow((n, script) -> fiveSteps(script));
    isBlocked = call -> call.task().equals(step);
    try (Engine engine = open(flow)) {
      engine.start(flow, "one", 1);
      blocked.await();
    }
    isBlocked = call -> false;

    try (Engine engine = open(flow)) {
      assertThat(engine.start(flow, "one", 1).join()).isEqualTo("a[b0, b1, b2]c");
    }

    assertThat(calls.stream().filter(each -> each.startsWith(step + " "))).hasSize(2);
    assertThat(calls.stream().distinct()).hasSize(5); // name and key
  }

  @Test
  void a_crash_while_the_script_is_out_of_memory_loses_nothing() throws Exception {
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
                      script.call("a", String.class, call -> done(call, "a"));
                      String first = script.await(GO);
                      String second = script.await(GO);
                      return script.call("b", String.class, call -> done(call, first + second));
                    })
                .inMemoryFor(Duration.ofMillis(1))
                .as(TEXT));
    for (String go : List.of("x", "y")) {
      try (Engine engine = open(flow)) {
        Run<String> run = engine.start(flow, "one", 1);
        String step = go.equals("x") ? "s/await go#1" : "s/await go#2";
        while (run.status().task(step).isEmpty() || run.status().status() != CaseStatus.WAITING) {
          LockSupport.parkNanos(100_000);
        }
        run.signal(GO, go);
        if (go.equals("y")) {
          assertThat(run.join()).isEqualTo("xy");
        }
      }
    }

    assertThat(calls).hasSize(2);
    assertThat(runs.get()).isGreaterThan(2);
  }

  @Test
  void an_at_most_once_step_without_a_receipt_has_an_unknown_outcome() throws Exception {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          try {
            return script.call(
                "a",
                String.class,
                StepOptions.<String>standard().atMostOnce(),
                call -> done(call, "a"));
          } catch (StepFailedException e) {
            return e.reason() + script.call("b", String.class, call -> done(call, "b"));
          }
        });
    isBlocked = call -> call.task().equals("s/a");
    try (Engine engine = open(flow)) {
      engine.start(flow, "one", 1);
      blocked.await();
    }
    isBlocked = call -> call.task().equals("s/b");
    blocked = new CountDownLatch(1);
    try (Engine engine = open(flow)) {
      blocked.await();
      assertThat(engine.receipts("one").getLast().body().result())
          .isEqualTo(new Receipt.Result.Indeterminate());
    }
    isBlocked = call -> false;

    try (Engine engine = open(flow)) {
      assertThat(engine.start(flow, "one", 1).join()).isEqualTo("unknown_outcomeb");
    }
    assertThat(calls.stream().filter(each -> each.startsWith("s/a "))).hasSize(1);
  }

  @Test
  void the_failed_item_of_all_fails_again_after_a_crash() throws Exception {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          String caught = "";
          try {
            script.all(
                List.of(0, 1, 2),
                2,
                i ->
                    script.call(
                        "a",
                        String.class,
                        call -> {
                          if (i == 1) {
                            throw new EffectException("broken", "by the test");
                          }
                          return done(call, "a" + i);
                        }));
          } catch (StepFailedException e) {
            caught = e.step() + " " + e.reason();
          }
          String after = caught;
          return script.call("b", String.class, call -> done(call, after));
        });
    isBlocked = call -> true;
    try (Engine engine = open(flow)) {
      engine.start(flow, "one", 1);
      while (calls.stream().noneMatch(each -> each.startsWith("s/b "))) {
        LockSupport.parkNanos(100_000);
      }
    }
    isBlocked = call -> false;

    try (Engine engine = open(flow)) {
      assertThat(engine.start(flow, "one", 1).join()).isEqualTo("s/all:1/a broken");
    }
    assertThat(calls.stream().filter(each -> each.startsWith("s/all:0"))).hasSizeBetween(0, 1);
  }

  private static String incident(Engine engine) {
    while (engine.incidents().list().isEmpty()) {
      LockSupport.parkNanos(100_000);
    }
    return engine.incidents().list().getFirst().toString();
  }

  private String changed(
      ScriptHandlers.Script1<Integer, String> before, ScriptHandlers.Script1<Integer, String> after)
      throws Exception {
    Workflow<Integer, String> old = flow(before);
    try (Engine engine = open(old)) {
      Run<String> run = engine.start(old, "one", 1);
      while (run.status().task("s/await go").isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
    }
    Workflow<Integer, String> changed = flow(after);
    try (Engine engine = open(changed)) {
      engine.start(changed, "one", 1);
      return incident(engine);
    }
  }

  private String plain(Script script) {
    script.call("a", String.class, "p", call -> done(call, "a"));
    return script.await(GO);
  }

  @Test
  void a_new_step_before_recorded_ones_is_noticed() throws Exception {
    String result =
        changed(
            (n, script) -> plain(script),
            (n, script) -> {
              script.call("x", String.class, call -> done(call, "x"));
              return plain(script);
            });

    assertThat(result)
        .contains(
            "script s of case one: it asks for step s/x, recorded is s/a",
            "asked: [s/x]",
            "recorded: [s/a, s/await go]");
    assertThat(calls).hasSize(1);
  }

  @Test
  void a_recorded_step_that_is_not_asked_for_is_noticed() throws Exception {
    String result = changed((n, script) -> plain(script), (n, script) -> "nothing to do");

    assertThat(result).contains("it ends without step s/a, which is recorded", "asked: []");
  }

  @Test
  void another_payload_or_result_type_of_a_recorded_step_is_noticed() throws Exception {
    String payload =
        changed(
            (n, script) -> plain(script),
            (n, script) -> script.call("a", String.class, "q", call -> done(call, "a")));

    assertThat(payload).contains("step s/a was recorded with another result type or payload");
  }

  private String items(Script script, String name, Runnable each) throws Exception {
    return String.join(
        "",
        script.all(
            List.of(0, 1, 2),
            3,
            item -> {
              if (item == 1) {
                each.run();
              }
              script.call(item == 1 ? name : "a", String.class, call -> done(call, "a" + item));
              return script.await(GO);
            }));
  }

  private String changedItem(ScriptHandlers.Script1<Integer, String> after) throws Exception {
    Workflow<Integer, String> old = flow((n, script) -> items(script, "a", () -> {}));
    try (Engine engine = open(old)) {
      Run<String> run = engine.start(old, "one", 1);
      for (int i = 0; i < 3; i++) {
        while (run.status().task("s/all:" + i + "/await go").isEmpty()) {
          LockSupport.parkNanos(100_000);
        }
      }
    }
    Workflow<Integer, String> changed = flow(after);
    try (Engine engine = open(changed)) {
      engine.start(changed, "one", 1);
      return incident(engine);
    }
  }

  @Test
  void another_step_in_an_item_of_all_is_noticed() throws Exception {
    String result = changedItem((n, script) -> items(script, "x", () -> {}));

    assertThat(result)
        .contains("script s of case one: it asks for step s/all:1/x, recorded is s/all:1/a");
    assertThat(calls).hasSize(3);
  }

  @Test
  void a_divergence_that_the_code_catches_is_an_incident_all_the_same() throws Exception {
    String inItem =
        changedItem((n, script) -> {
          try {
            return items(script, "x", () -> {});
          } catch (Exception e) {
            return "caught";
          }
        });
    assertThat(inItem).contains("it asks for step s/all:1/x, recorded is s/all:1/a");
  }

  @Test
  void a_divergence_that_the_code_catches_before_it_goes_on_is_an_incident() throws Exception {
    String payload =
        changed(
            (n, script) -> plain(script),
            (n, script) -> {
              try {
                script.call("a", String.class, "q", call -> done(call, "a"));
              } catch (RuntimeException e) {
                calls.add("caught");
              }
              return plain(script);
            });

    assertThat(payload).contains("step s/a was recorded with another result type or payload");
  }

  @Test
  void an_error_in_an_item_of_all_is_an_incident_which_a_retry_resolves() throws Exception {
    AtomicInteger broken = new AtomicInteger(1);
    Runnable bug =
        () -> {
          if (broken.get() == 1) {
            throw new AssertionError("a bug of the item");
          }
        };
    Workflow<Integer, String> flow = flow((n, script) -> items(script, "a", bug));
    try (Engine engine = open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);

      assertThat(incident(engine)).contains("a bug of the item");
      broken.set(0);
      engine.incidents().retryAll(IncidentQuery.ALL);
      for (int i = 0; i < 3; i++) {
        run.signal(GO, "g");
      }
      assertThat(run.join()).isEqualTo("ggg");
    }
  }

  @Test
  void an_undo_whose_item_of_all_has_changed_undoes_nothing_and_is_an_incident() throws Exception {
    StepOptions<String> undone =
        StepOptions.<String>standard().undo((result, call) -> done(call, "undone"));
    AtomicInteger version = new AtomicInteger(1);
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          if (version.get() == 3) {
            new CountDownLatch(1).await();
          }
          script.call("first", String.class, undone, call -> done(call, "first"));
          script.all(
              List.of(0, 1),
              2,
              item -> {
                String name = version.get() == 1 ? "a" : "b";
                return script.call(name, String.class, undone, call -> done(call, "a"));
              });
          return script.await(GO);
        });
    try (Engine engine = open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      while (run.status().task("s/await go").isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
    }
    version.set(3);
    try (Engine engine = open(flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      version.set(2);
      run.cancel();

      assertThat(incident(engine)).contains("it asks for step s/all:", "/b, recorded is s/all:");
    }
    assertThat(calls).hasSize(3);
  }

  @Test
  void an_operator_retries_the_script_with_the_code_that_fits() throws Exception {
    var _ =
        changed(
            (n, script) -> plain(script),
            (n, script) -> script.call("x", String.class, call -> done(call, "x")));
    Workflow<Integer, String> old = flow((n, script) -> plain(script));

    try (Engine engine = open(old)) {
      Run<String> run = engine.start(old, "one", 1);
      String before = incident(engine);
      engine.incidents().retryAll(IncidentQuery.ALL);
      run.signal(GO, "again");

      assertThat(before).contains("it asks for step s/x, recorded is s/a");
      assertThat(run.join()).isEqualTo("again");
      assertThat(engine.incidents().list()).isEmpty();
    }
    assertThat(calls).hasSize(1);
  }

  @Test
  void a_version_guards_a_change_in_both_kinds_of_cases() throws Exception {
    ScriptHandlers.Script1<Integer, String> guarded =
        (n, script) -> {
          int version = script.version("check", 1);
          if (version > 0) {
            script.call("check", String.class, call -> done(call, "checked"));
          }
          return plain(script) + version;
        };

    Workflow<Integer, String> old = flow((n, script) -> plain(script));
    try (Engine engine = open(old)) {
      Run<String> run = engine.start(old, "old", 1);
      while (run.status().task("s/await go").isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
    }
    Workflow<Integer, String> flow = flow(guarded);
    try (Engine engine = open(flow)) {
      Run<String> first = engine.start(flow, "old", 1);
      first.signal(GO, "go");
      Run<String> second = engine.start(flow, "new", 1);
      second.signal(GO, "go");

      assertThat(first.join()).isEqualTo("go0");
      assertThat(second.join()).isEqualTo("go1");
    }
    assertThat(calls.stream().filter(each -> each.startsWith("s/check"))).hasSize(1);
  }

  @Test
  void an_undo_whose_script_has_changed_undoes_nothing_and_is_an_incident() throws Exception {
    StepOptions<String> undone =
        StepOptions.<String>standard().undo((result, call) -> done(call, "undone"));
    Workflow<Integer, String> old =
        flow((n, script) -> {
          script.call("a", String.class, undone, call -> done(call, "a"));
          return script.await(GO);
        });
    try (Engine engine = open(old)) {
      Run<String> run = engine.start(old, "one", 1);
      while (run.status().task("s/await go").isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
    }
    CountDownLatch never = new CountDownLatch(1);
    Workflow<Integer, String> changed =
        flow((n, script) -> {
          if (runs.incrementAndGet() == 1) {
            never.await();
          }
          return script.call("b", String.class, call -> done(call, "b"));
        });
    try (Engine engine = open(changed)) {
      Run<String> run = engine.start(changed, "one", 1);
      run.cancel();

      assertThat(incident(engine)).contains("it asks for step s/b, recorded is s/a");
    }
    assertThat(calls).hasSize(1);
  }
}
