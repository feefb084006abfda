package dev.damask.micrometer;

import dev.damask.cases.Engine;
import dev.damask.ops.EffectFigures;
import dev.damask.ops.Latency;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/// The meters of effect types. A type has figures from its first call on, so they are registered
/// when the number of types is read. Refers to no engine: the registry holds it weakly.
final class EffectTypeMeters {
  private static final Latency NONE = new Latency(0, 0, 0, 0, 0, 0, List.of());

  private final MeterRegistry registry;
  private final List<Tag> tags;
  private final Set<String> known = ConcurrentHashMap.newKeySet(); // by any reader

  EffectTypeMeters(MeterRegistry registry, List<Tag> tags) {
    this.registry = registry;
    this.tags = tags;
  }

  /// Returns how many types have figures, after it has registered the meters of new ones.
  long count(Engine engine) {
    List<EffectFigures> all = engine.statistics().byType();
    for (EffectFigures each : all) {
      if (known.add(each.type())) {
        register(engine, each.type());
      }
    }
    return all.size();
  }

  private void register(Engine engine, String type) {
    Tags own = Tags.of(tags).and("type", type);
    FunctionTimer.builder(
            "damask.effect",
            engine,
            each -> figures(each, type).duration().count(),
            each -> figures(each, type).duration().sumMicros(),
            TimeUnit.MICROSECONDS)
        .description("Calls of the handler of an effect type")
        .tags(own)
        .register(registry);
    FunctionCounter.builder("damask.effect.failures", engine, each -> figures(each, type).failed())
        .description("Calls of the handler of an effect type that failed")
        .tags(own)
        .register(registry);
    quantile(engine, type, ".p50", "median", Latency::p50Micros);
    quantile(engine, type, ".p99", "99 of 100", Latency::p99Micros);
    quantile(engine, type, ".max", "longest", Latency::maxMicros);
  }

  private void quantile(
      Engine engine, String type, String end, String what, ToLongFunction<Latency> micros) {
    TimeGauge.builder(
            "damask.effect" + end,
            engine,
            TimeUnit.MICROSECONDS,
            each -> micros.applyAsLong(figures(each, type).duration()))
        .description("Calls of the handler of an effect type, " + what)
        .tags(Tags.of(tags).and("type", type))
        .register(registry);
  }

  private static EffectFigures figures(Engine engine, String type) {
    return engine.statistics().byType().stream()
        .filter(each -> each.type().equals(type))
        .findFirst()
        .orElse(new EffectFigures(type, 0, 0, NONE));
  }
}
