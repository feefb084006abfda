package dev.damask.examples.scripts;

import static dev.damask.typed.Steps.script;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.script.StepFailedException;
import dev.damask.task.Retry;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.testkit.Answer;
import dev.damask.testkit.CrashTest;
import dev.damask.testkit.TestCase;
import dev.damask.testkit.TestEngine;
import dev.damask.typed.Script;
import dev.damask.typed.ScriptHandlers;
import dev.damask.typed.StepOptions;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Scripts in the test kit: virtual time, crashes at every commit, and a run after every step.
final class ScriptKitTest {
  private static final Key<Integer> N = Key.of("n", Integer.class);
  private static final Key<String> TEXT = Key.of("text", String.class);
  private static final Signal<String> GO = Signal.of("go", String.class);

  private static Workflow<Integer, String> flow(ScriptHandlers.Script1<Integer, String> code) {
    return workflow("flow", N, TEXT, script("s", N, code).as(TEXT));
  }

  private static Object text(TestCase made) {
    return made.result().orElseThrow() instanceof CaseResult.Completed<Context>(var context)
        ? String.valueOf(context.get("text"))
        : made.result();
  }

  @Test
  void waits_of_days_take_no_time() {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          script.sleep(Duration.ofDays(3));
          return script.await(GO, Duration.ofDays(2)).orElse("none at " + script.now());
        });
    TestEngine engine = TestEngine.open();

    TestCase late = engine.start(flow, "late", 1);
    TestCase early = engine.start(flow, "early", 1);
    engine.advance(Duration.ofDays(4));
    early.signal(GO, "now");
    engine.advance(Duration.ofDays(1));

    assertThat(text(early)).isEqualTo("now");
    assertThat(text(late)).isEqualTo("none at 2023-11-19T22:13:20Z");
  }

  @Test
  void a_script_runs_again_after_every_step_and_calls_none_twice() {
    AtomicInteger runs = new AtomicInteger();
    List<String> calls = new ArrayList<>();
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          runs.incrementAndGet();
          String text = "";
          for (int i = 0; i < n; i++) {
            int number = i;
            text +=
                script.call(
                    "a",
                    String.class,
                    call -> {
                      calls.add("a" + number);
                      return "a" + number;
                    });
          }
          return text;
        });

    TestCase made = TestEngine.open().start(flow, "one", 5);

    assertThat(text(made)).isEqualTo("a0a1a2a3a4");
    assertThat(calls).containsExactly("a0", "a1", "a2", "a3", "a4");
    assertThat(runs.get()).isEqualTo(6);
  }

  @Test
  void a_step_that_depends_on_something_unrecorded_fails_the_test() {
    AtomicInteger counter = new AtomicInteger();
    Workflow<Integer, String> flow =
        flow((n, script) ->
            script.call("step " + counter.incrementAndGet() % 2, String.class, call -> "a"));

    assertThatThrownBy(() -> TestEngine.open().start(flow, "one", 1))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("it asks for step s/step 0, recorded is s/step 1")
        .hasMessageContaining("asked: [s/step 0]; recorded: [s/step 1]");
  }

  @Test
  void items_that_depend_on_their_order_fail_the_test() {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          List<Integer> shared = new ArrayList<>();
          script.all(
              List.of(0, 1, 2, 3, 4, 5),
              6,
              item -> {
                script.call("a", String.class, call -> "a");
                shared.add(item);
                return script.call("b" + shared.size(), String.class, call -> "b");
              });
          return "";
        });

    assertThatThrownBy(() -> TestEngine.open().start(flow, "one", 1))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("recorded is s/all:");
  }

  /// Everything a script can do, with a crash before and after every commit.
  @Test
  void a_crash_at_every_commit_changes_nothing() {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          StepOptions<String> thrice =
              StepOptions.<String>standard().retry(new Retry(3, Duration.ofSeconds(1), 2.0, 0));
          String a = script.call("a", String.class, "payload", thrice, call -> "a" + n);
          List<String> all =
              script.all(
                  List.of(1, 2, 3),
                  2,
                  item ->
                      script.call("b", String.class, call -> "b" + item)
                          + script.call("c", String.class, call -> "c" + item));
          String caught = "";
          try {
            script.all(
                List.of(1, 2), 2, item -> script.call("d" + item, String.class, call -> "d"));
          } catch (StepFailedException e) {
            caught = e.reason();
          }
          script.sleep(Duration.ofHours(1));
          String go = script.await(GO, Duration.ofDays(1)).orElse("none");
          return a + all + caught + go + script.call("f", String.class, call -> "f");
        });

    CrashTest.Report report =
        CrashTest.atEveryCommit(engine -> {
          engine.when("s/a", Answer.failing("busy"), Answer.failing("busy"), result("a1"));
          engine.when("d1", Answer.never());
          engine.when("d2", Answer.failing("broken"));
          TestCase made = engine.start(flow, "one", 1);
          engine.advance(Duration.ofHours(2));
          made.signal(GO, "go");
          engine.advance(Duration.ofHours(1));

          assertThat(text(made)).isEqualTo("a1[b1c1, b2c2, b3c3]brokengof");
        });

    assertThat(report.commits()).isGreaterThan(15);
    assertThat(report.crashes()).isEqualTo(2 * report.commits());
  }

  @Test
  void children_of_a_script_survive_a_crash_at_every_commit() {
    CrashTest.Report report =
        CrashTest.atEveryCommit(engine -> {
          Workflow<Integer, String> child =
              workflow(
                  "child",
                  N,
                  TEXT,
                  script(
                          "c",
                          N,
                          (Integer n, Script script) ->
                              script.await(GO, Duration.ofDays(n)).orElse("none " + n))
                      .as(TEXT));
          Workflow<Integer, String> flow =
              flow((n, script) ->
                  String.join(
                      ", ", script.all(List.of(1, 2), 2, i -> script.child("sub", child, i))));
          TestCase made = engine.start(flow, "one", 1);
          engine.advance(Duration.ofDays(3));

          assertThat(text(made)).isEqualTo("none 1, none 2");
          assertThat(made.family().children()).hasSize(2);
        });

    assertThat(report.crashes()).isGreaterThan(10);
  }

  private static Answer result(String value) {
    return Answer.of("value", value);
  }

  @Test
  void undo_survives_a_crash_at_every_commit() {
    CrashTest.Report report =
        CrashTest.atEveryCommit(engine -> {
          Workflow<Integer, String> flow =
              flow((n, script) -> {
                script.call("a", String.class, undone(), call -> "a");
                script.call("b", String.class, undone(), call -> "b");
                throw new IllegalStateException("planned");
              });
          TestCase made = engine.start(flow, "one", 1);

          assertThat(made.view().failure().orElseThrow().detail()).contains("planned");
          assertThat(made.receipts().stream().map(each -> each.body().task()).distinct().toList())
              .containsExactly("s/a", "s/b", "undo s/undo b", "undo s/undo a");
        });

    assertThat(report.commits()).isGreaterThan(4);
  }

  private static StepOptions<String> undone() {
    return StepOptions.<String>standard().undo((result, call) -> {});
  }
}
