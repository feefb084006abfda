package dev.damask.micrometer;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.MemoryStore;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

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
