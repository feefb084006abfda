package dev.damask.typed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseFailedException;
import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.effect.EffectException;
import dev.damask.script.StepFailedException;
import dev.damask.task.Retry;
import dev.damask.term.Workflow;
import dev.damask.value.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// After which failures a step of a script, or its undo, is tried again.
@Timeout(60)
final class ScriptRetryTest extends ScriptFlow {
  private StepOptions<String> undone(String name) {
    return StepOptions.<String>standard()
        .undo((result, call) -> done("undo " + name + " " + result));
  }

  @Test
  void a_step_that_fails_for_good_or_that_its_retry_excepts_is_not_tried_again() {
    StepOptions<String> often =
        StepOptions.<String>standard()
            .retry(new Retry(5, Duration.ZERO, 1.0, 0).except(IllegalArgumentException.class));
    StepOptions<Void> many =
        StepOptions.<Void>standard()
            .retry(new Retry(5, Duration.ZERO, 1.0, 0).except(IllegalArgumentException.class));
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          List<String> reasons = new ArrayList<>();
          reasons.add(
              reason(() ->
                  script.call(
                      "permanent",
                      String.class,
                      often,
                      call -> {
                        done("permanent");
                        throw EffectException.permanent("refused", "for good");
                      })));
          reasons.add(
              reason(() ->
                  script.run(
                      "excepted",
                      null,
                      many,
                      call -> {
                        done("excepted");
                        throw new NumberFormatException("n");
                      })));
          reasons.add(
              reason(() ->
                  script.call(
                      "unstorable",
                      Key.list("value", Integer.class),
                      null,
                      StepOptions.<List<Integer>>standard()
                          .retry(new Retry(5, Duration.ZERO, 1.0, 0)),
                      call -> {
                        done("unstorable");
                        return java.util.Arrays.asList(1, null);
                      })));
          return String.join(" ", reasons);
        });

    assertThat(joined(flow, 1)).isEqualTo("refused IllegalArgumentException expression");
    assertThat(calls).containsExactly("permanent", "excepted", "unstorable");
  }

  private static String reason(Runnable step) {
    try {
      step.run();
      return "none";
    } catch (StepFailedException e) {
      return e.reason();
    }
  }

  @Test
  void a_step_waits_as_long_as_its_handler_asks_before_the_next_attempt() {
    List<Long> times = new CopyOnWriteArrayList<>();
    Workflow<Integer, String> flow =
        flow((n, script) ->
            script.call(
                "a",
                String.class,
                StepOptions.<String>standard().retry(new Retry(2, Duration.ZERO, 1.0, 0)),
                call -> {
                  times.add(System.nanoTime());
                  if (call.attempt() == 1) {
                    throw EffectException.retryAfter("busy", "later", Duration.ofMillis(80));
                  }
                  return "done";
                }));

    assertThat(joined(flow, 1)).isEqualTo("done");
    assertThat(times.get(1) - times.get(0)).isGreaterThan(75_000_000L);
  }

  @Test
  void an_undo_that_its_retry_excepts_is_not_tried_again_and_the_older_ones_still_run() {
    StepOptions<String> broken =
        StepOptions.<String>standard()
            .retry(new Retry(3, Duration.ZERO, 1.0, 0).except(IllegalStateException.class))
            .undo((result, call) -> {
              done("undo " + result);
              throw new IllegalStateException("no undo of " + result);
            });
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          script.call("a", String.class, undone("a"), call -> done("a"));
          script.call("b", String.class, broken, call -> done("b"));
          script.call("c", String.class, broken, call -> done("c"));
          script.call("d", String.class, undone("d"), call -> done("d"));
          throw new IllegalStateException("planned");
        });

    assertThatThrownBy(() -> joined(flow, 1))
        .hasMessageContaining("planned")
        .isInstanceOfSatisfying(
            CaseFailedException.class,
            e ->
                assertThat(e.failure().attached())
                    .singleElement()
                    .satisfies(each -> {
                      assertThat(each.reason()).isEqualTo("IllegalStateException");
                      assertThat(each.detail()).contains("undo c", "also step", "undo b");
                    }));
    assertThat(calls)
        .containsExactly("a", "b", "c", "d", "undo d d", "undo c", "undo b", "undo a a");
  }

  @Test
  void a_result_that_is_too_large_fails_the_step_also_for_a_run_that_has_seen_it() {
    Workflow<Integer, String> flow =
        flow((n, script) -> {
          String seen;
          try {
            seen = script.call("big", String.class, _ -> "x".repeat(300_000)).substring(0, 1);
          } catch (StepFailedException e) {
            seen = e.reason();
          }
          String last = seen;
          return script.call("after", String.class, _ -> done(last));
        });

    for (int i = 0; i < 20; i++) {
      try (Engine engine = Engine.open(flow)) {
        Run<String> run = engine.start(flow, "one", 1);

        assertThat(run.join()).isEqualTo("limit");
        assertThat(run.receipts().stream().map(each -> each.body().task()).toList())
            .containsExactly("s/big", "s/after");
      }
    }
  }
}
