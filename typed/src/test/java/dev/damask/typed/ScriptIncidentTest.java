package dev.damask.typed;

import static dev.damask.typed.Steps.script;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.Run;
import dev.damask.effect.EffectException;
import dev.damask.ops.Incident;
import dev.damask.script.StepFailedException;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.term.Workflow;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Steps of scripts that become incidents when their attempts are used up, and the limit of steps.
@Timeout(60)
final class ScriptIncidentTest extends ScriptFlow {
  private static final StepOptions<String> PARKING =
      StepOptions.<String>standard()
          .retry(new Retry(2, Duration.ZERO, 1.0, 0).except("excepted"))
          .onExhausted(OnExhausted.PARK);

  @TempDir Path folder;

  private volatile String reason = "down";
  private final AtomicInteger attempts = new AtomicInteger();

  private Workflow<Integer, String> flow(Duration patience) {
    return workflow(
        "flow",
        N,
        TEXT,
        script(
                "s",
                N,
                (n, script) -> {
                  script.call("first", String.class, call -> done("first"));
                  try {
                    return script.call(
                        "a",
                        String.class,
                        PARKING,
                        call -> {
                          attempts.incrementAndGet();
                          if (!reason.isEmpty()) {
                            throw new EffectException(reason, "by the test");
                          }
                          return "a" + call.attempt();
                        });
                  } catch (StepFailedException e) {
                    return e.reason();
                  }
                })
            .inMemoryFor(patience)
            .as(TEXT));
  }

  private static Incident incident(Engine engine) {
    while (engine.incidents().list().isEmpty()) {
      LockSupport.parkNanos(100_000);
    }
    return engine.incidents().list().getFirst();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3_600_000})
  void an_operator_retries_skips_or_fails_a_step_that_is_an_incident(int patience) {
    Workflow<Integer, String> flow = flow(Duration.ofMillis(patience));
    try (Engine engine = Engine.open(flow)) {
      Run<String> retried = engine.start(flow, "one", 1);
      Incident first = incident(engine);
      engine.incidents().retry("one", first.id());
      Incident second = incident(engine);
      while (second.attempt() < 3) {
        second = incident(engine);
      }
      reason = "";
      engine.incidents().retry("one", second.id());
      assertThat(retried.join()).isEqualTo("a4");
      assertThat(first.address()).isEqualTo("s/a");
      assertThat(first.attempt()).isEqualTo(2);
      assertThat(first.reason()).isEqualTo("down");

      reason = "down";
      Run<String> skipped = engine.start(flow, "two", 1);
      engine.incidents().skip("two", incident(engine).id(), Map.of("value", "skipped"));
      assertThat(skipped.join()).isEqualTo("skipped");

      Run<String> failed = engine.start(flow, "three", 1);
      engine.incidents().fail("three", incident(engine).id(), "given_up");
      assertThat(failed.join()).isEqualTo("given_up");

      reason = "excepted";
      assertThat(engine.start(flow, "four", 1).join()).isEqualTo("excepted");
      assertThat(engine.incidents().list()).isEmpty();
    }
  }

  @Test
  void a_step_that_is_an_incident_waits_for_its_operator_over_a_restart() {
    EngineOptions options = EngineOptions.defaults().withGrace(Duration.ofMillis(20));
    Workflow<Integer, String> flow = flow(Duration.ofHours(1));
    try (Engine engine = Engine.open(options, folder.resolve("store"), flow)) {
      engine.start(flow, "one", 1);
      var _ = incident(engine);
    }
    reason = "";

    try (Engine engine = Engine.open(options, folder.resolve("store"), flow)) {
      Run<String> run = engine.start(flow, "one", 1);
      Incident kept = incident(engine);
      assertThat(attempts.get()).isEqualTo(2);
      engine.incidents().retry("one", kept.id());

      assertThat(run.join()).isEqualTo("a3");
    }
    assertThat(calls).containsExactly("first");
  }

  @Test
  void the_limit_of_steps_of_a_script_can_be_changed() {
    Workflow<Integer, String> flow =
        workflow(
            "flow",
            N,
            TEXT,
            script(
                    "s",
                    N,
                    (Integer n, Script script) -> {
                      for (int i = 0; i < n; i++) {
                        script.now();
                      }
                      return "done";
                    })
                .stepsMax(3)
                .as(TEXT));

    assertThat(joined(flow, 3)).isEqualTo("done");
    assertThatThrownBy(() -> joined(flow, 4))
        .hasMessageContaining("a script has at most 3 steps")
        .hasMessageContaining("raise the limit");
    assertThatThrownBy(() -> script("s", N, (n, script) -> "x").stepsMax(0))
        .hasMessageContaining("the limit of steps must be at least 1, got 0");
  }
}
