package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.effect.CaseScope;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.store.MemoryStore;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the engine logs about attempts, and what handlers can log about themselves.
@Timeout(20)
final class LogLinesTest {
  /// A line of the log.
  private record Line(Level level, String text, @Nullable Throwable thrown, String scope) {}

  private final List<Line> lines = new CopyOnWriteArrayList<>();
  private final Logger logger = Logger.getLogger("dev.damask");
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          String scope = CaseScope.current().map(CaseScope::toString).orElse("");
          lines.add(new Line(line.getLevel(), line.getMessage(), line.getThrown(), scope));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private final MemoryStore store = new MemoryStore();

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
  }

  @AfterEach
  void stop() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
  }

  private static WorkflowDefinition flow(EffectHandler handler) {
    return workflow(
        "w",
        effect("pay", EffectHandler.withCall(handler))
            .retry(new Retry(2, Duration.ZERO, 1.0, 0.0)));
  }

  @Test
  void an_incident_is_one_warning_with_case_task_reason_and_what_to_do() {
    var flow =
        workflow(
            "w",
            effect(
                    "pay",
                    EffectHandler.withCall(call -> {
                      throw new EffectException("broke", "no money");
                    }))
                .onExhausted(OnExhausted.PARK));
    try (var engine = Engine.open(EngineOptions.defaults().withShards(1), store, flow)) {
      engine.start(flow, "one", Context.empty());
      while (engine.incidents().list().isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
    }

    assertThat(lines)
        .filteredOn(line -> line.level() == Level.WARNING)
        .extracting(Line::text)
        .containsExactly(
            "case one: task pay#1 of workflow w is an incident after attempt 1: broke: no money;"
                + " retry, skip or fail it with Engine.incidents or 'damask incidents'");
  }

  @Test
  void an_unexpected_exception_is_one_warning_per_attempt_with_case_task_reason_and_stack()
      throws Exception {
    IllegalStateException broken = new IllegalStateException("no connection");
    var flow =
        flow(call -> {
          throw broken;
        });
    try (var engine = Engine.open(EngineOptions.defaults(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      engine.await("one");
    }

    assertThat(lines)
        .extracting(Line::level, Line::text, Line::thrown)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(Level.WARNING, text(1), broken),
            org.assertj.core.groups.Tuple.tuple(Level.WARNING, text(2), broken));
    assertThat(lines.getFirst().scope())
        .isEqualTo("CaseScope[caseId=one, task=pay, type=pay, attempt=1]");
  }

  private static String text(int attempt) {
    return "case one: task pay failed in attempt "
        + attempt
        + " of effect pay: exception: java.lang.IllegalStateException: no connection";
  }

  @Test
  void an_expected_failure_is_information_without_a_stack() throws Exception {
    var flow =
        flow(call -> {
          throw EffectException.permanent("refused", "the card is stolen");
        });
    try (var engine = Engine.open(EngineOptions.defaults(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      engine.await("one");
    }

    assertThat(lines)
        .extracting(Line::level, Line::text, Line::thrown)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(
                Level.INFO,
                "case one: task pay failed in attempt 1 of effect pay: refused: the card is stolen",
                null));
  }

  @Test
  void missing_programs_are_one_warning_with_the_cases_per_workflow_and_version() {
    var one = workflow("one", defer(on("go", skip())));
    var other = workflow("other", defer(on("go", skip())));
    try (var engine = Engine.open(EngineOptions.defaults(), store, one, other)) {
      engine.start(one, "c1", Context.empty());
      engine.start(one, "c2", Context.empty());
      engine.start(other, "c3", Context.empty());
    }
    lines.clear();

    try (var engine = Engine.open(EngineOptions.defaults(), store.reopened())) {
      while (engine.statistics().casesWithoutProgram() != 3 || lines.isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(lines).hasSize(1);
      assertThat(lines.getFirst().level()).isEqualTo(Level.WARNING);
      assertThat(lines.getFirst().text())
          .startsWith(
              "3 waiting cases have no program; register them, or migrate their cases: 2 cases of"
                  + " workflow one wait for its program ")
          .contains("; 1 case of workflow other waits for its program ");

      engine.register(one);
      assertThat(engine.statistics().casesWithoutProgram()).isOne();
    }
  }

  @Test
  void an_expected_failure_may_be_given_its_cause_later() {
    EffectException failure = new EffectException("refused", "the card is stolen");

    Throwable cause = new IllegalStateException("401");
    failure.initCause(cause);

    assertThat(failure).hasCause(cause);
    assertThat(EffectException.permanent("refused", cause)).hasCause(cause);
  }

  @Test
  void a_handler_that_fails_because_the_engine_closes_is_not_news() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    var flow =
        flow(call -> {
          begun.countDown();
          try {
            never.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException("the driver swallowed an interrupt", e);
          }
          return null;
        });
    var options = EngineOptions.defaults().withGrace(Duration.ofMillis(10));
    try (var engine = Engine.open(options, store, flow)) {
      engine.start(flow, "one", Context.empty());
      begun.await();
    }

    assertThat(lines).isEmpty();
    assertThat(CaseScope.current()).isEmpty();
  }
}
