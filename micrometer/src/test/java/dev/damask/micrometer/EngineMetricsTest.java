package dev.damask.micrometer;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.park;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.MemoryStore;
import dev.damask.task.Retry;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class EngineMetricsTest {
  private static final WorkflowDefinition ASK = workflow("ask", effect("ask"));
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults().withHandler("ask", _ -> Context.empty());

  @Test
  void the_meters_show_what_the_engine_did() throws Exception {
    var registry = new SimpleMeterRegistry();
    try (var engine = Engine.open(OPTIONS, new MemoryStore(), ASK)) {
      new EngineMetrics(engine).bindTo(registry);
      for (int i = 0; i < 3; i++) {
        engine.start(ASK, "case-" + i, Context.empty()).join();
      }
      assertThat(registry.get("damask.cases.started").functionCounter().count()).isEqualTo(3);
      assertThat(registry.get("damask.cases.ended").functionCounter().count()).isEqualTo(3);
      assertThat(registry.get("damask.effects").functionCounter().count()).isEqualTo(3);
      assertThat(registry.get("damask.commit.size").functionCounter().count()).isPositive();
      assertThat(registry.get("damask.inbox").gauge().value()).isZero();
      assertThat(registry.get("damask.commit").functionTimer().count()).isPositive();
      assertThat(registry.get("damask.commit.p99").timeGauge().value(TimeUnit.MICROSECONDS))
          .isEqualTo((double) engine.statistics().committing().p99Micros());
    }
  }

  private static void await(BooleanSupplier isDone) {
    while (!isDone.getAsBoolean()) {
      LockSupport.parkNanos(1_000_000);
      assertThat(Thread.interrupted()).as("the time is up").isFalse();
    }
  }

  @Test
  @Timeout(60)
  void what_waits_for_somebody_is_a_gauge() throws Exception {
    var registry = new SimpleMeterRegistry();
    WorkflowDefinition broken =
        workflow(
            "broken",
            effect("broken").retry(new Retry(1, Duration.ZERO, 1.0, 0.0)).onExhausted(park()));
    var options =
        EngineOptions.defaults()
            .withHandler(
                "broken",
                _ -> {
                  throw new IllegalStateException("out of order");
                });
    try (var engine = Engine.open(options, new MemoryStore(), broken)) {
      new EngineMetrics(engine).bindTo(registry);
      engine.start(broken, "one", Context.empty());
      await(() -> registry.get("damask.incidents").gauge().value() == 1);

      engine.pause("one", "looks odd");
      await(() -> registry.get("damask.cases.paused").gauge().value() == 1);
      assertThat(registry.get("damask.effects.permits").gauge().value()).isZero();
      assertThat(registry.get("damask.cases.unprogrammed").gauge().value()).isZero();
    }
  }

  @Test
  void an_effect_type_has_meters_from_its_first_call_on() throws Exception {
    var registry = new SimpleMeterRegistry();
    try (var engine = Engine.open(OPTIONS, new MemoryStore(), ASK)) {
      new EngineMetrics(engine).bindTo(registry);
      assertThat(registry.get("damask.effects.types").gauge().value()).isZero();

      engine.start(ASK, "one", Context.empty()).join();

      assertThat(registry.get("damask.effects.types").gauge().value()).isEqualTo(1);
      var calls = registry.get("damask.effect").tag("type", "ask").functionTimer();
      assertThat(calls.count()).isEqualTo(1);
      assertThat(
              registry.get("damask.effect.failures").tag("type", "ask").functionCounter().count())
          .isZero();
      assertThat(registry.get("damask.effect.max").tag("type", "ask").timeGauge().value())
          .isNotNegative();
    }
  }

  @Test
  void two_engines_have_meters_of_their_own_by_their_tags() throws Exception {
    var registry = new SimpleMeterRegistry();
    try (var one = Engine.open(OPTIONS, new MemoryStore(), ASK);
        var two = Engine.open(OPTIONS, new MemoryStore(), ASK)) {
      new EngineMetrics(one, List.of(Tag.of("engine", "one"))).bindTo(registry);
      new EngineMetrics(two, List.of(Tag.of("engine", "two"))).bindTo(registry);
      one.start(ASK, "a", Context.empty()).join();

      var started = registry.get("damask.cases.started");
      assertThat(started.tag("engine", "one").functionCounter().count()).isEqualTo(1);
      assertThat(
              registry.get("damask.cases.started").tag("engine", "two").functionCounter().count())
          .isZero();
    }
  }

  @Test
  void every_meter_follows_the_naming_convention_and_says_what_it_is() {
    var registry = new SimpleMeterRegistry();
    try (var engine = Engine.open(ASK)) {
      new EngineMetrics(engine).bindTo(registry);
      assertThat(registry.getMeters()).hasSizeGreaterThan(15);
      for (Meter meter : registry.getMeters()) {
        assertThat(meter.getId().getName()).matches("damask(\\.[a-z0-9]+)+");
        assertThat(meter.getId().getDescription()).isNotBlank();
      }
    }
  }
}
