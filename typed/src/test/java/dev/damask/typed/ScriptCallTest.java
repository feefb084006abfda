package dev.damask.typed;

import static dev.damask.typed.Steps.script;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.effect.EffectException;
import dev.damask.event.Failure;
import dev.damask.script.StepFailedException;
import dev.damask.task.Retry;
import dev.damask.term.Workflow;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Scripts in `Engine.call`, which has no case.
@Timeout(60)
final class ScriptCallTest extends ScriptFlow {
  @Test
  void a_script_that_never_waits_runs_in_a_call_without_a_case() {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          String first = script.call("a", String.class, call -> done("a" + n));
          List<String> items =
              script.all(
                  List.of(1, 2, 3),
                  2,
                  item -> script.call("b", String.class, call -> done("b" + item)));
          return first + items + script.version("v", 3);
        });

    try (Engine engine = Engine.open(flow)) {
      assertThat(engine.call(flow, 7)).isEqualTo("a7[b1, b2, b3]3");
      assertThat(calls).containsExactlyInAnyOrder("a7", "b1", "b2", "b3");
    }
  }

  @Test
  void a_step_that_waits_fails_in_a_call_and_the_steps_before_it_are_undone() {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          script.call(
              "a",
              String.class,
              StepOptions.<String>standard().undo((result, call) -> done("undo " + result)),
              call -> done("a"));
          script.call(
              "b",
              String.class,
              StepOptions.<String>standard().undo((result, call) -> done("undo " + result)),
              call -> done("b"));
          return script.await(GO);
        });

    try (Engine engine = Engine.open(flow)) {
      assertThat(engine.callResult(flow, 7))
          .isInstanceOfSatisfying(
              CaseResult.Failed.class,
              failed -> {
                assertThat(failed.error().reason()).isEqualTo(Failure.NOT_ALLOWED);
                assertThat(failed.error().detail()).contains("await go waits", "start a case");
              });
    }
    assertThat(calls).containsExactly("a", "b", "undo b", "undo a");
  }

  @Test
  void a_failed_step_of_a_call_is_tried_again_and_thrown() {
    AtomicInteger attempts = new AtomicInteger();
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          try {
            return script.call(
                "a",
                String.class,
                StepOptions.<String>standard().retry(new Retry(3, Duration.ZERO, 1, 0)),
                call -> {
                  attempts.incrementAndGet();
                  throw new EffectException("busy", "never");
                });
          } catch (StepFailedException e) {
            return e.reason() + attempts;
          }
        });

    try (Engine engine = Engine.open(flow)) {
      assertThat(engine.call(flow, 7)).isEqualTo("busy3");
    }
  }
}
