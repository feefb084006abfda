package dev.damask.micrometer;

import dev.damask.cases.Engine;
import dev.damask.ops.Latency;
import dev.damask.ops.Statistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// Publishes the figures of an engine as meters named `damask.…`. The meters read
/// [Engine#statistics] when the registry asks for them and cost nothing between two scrapes.
///
/// ```
/// new EngineMetrics(engine).bindTo(registry);
/// ```
///
/// Several engines in one process need tags that tell them apart.
public final class EngineMetrics implements MeterBinder {
  private final Engine engine; // the registry holds it weakly; a closed engine can be collected
  private final List<Tag> tags;

  /// Prepares the meters of an engine.
  public EngineMetrics(Engine engine) {
    this(engine, List.of());
  }

  /// Prepares the meters of an engine, each with the same tags.
  public EngineMetrics(Engine engine, Iterable<Tag> tags) {
    this.engine = engine;
    List<Tag> all = new ArrayList<>();
    tags.forEach(all::add);
    this.tags = List.copyOf(all);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    counter(registry, "damask.cases.started", "Cases that were started", Statistics::started);
    counter(registry, "damask.cases.ended", "Cases that have ended", Statistics::ended);
    counter(registry, "damask.cases.removed", "Cases removed by retention", Statistics::removed);
    counter(registry, "damask.calls", "Workflows that were called directly", Statistics::calls);
    counter(registry, "damask.steps", "Reductions of the machine", Statistics::steps);
    counter(registry, "damask.effects", "Calls of effect handlers", Statistics::effects);
    counter(registry, "damask.commits", "Revisions that became durable", Statistics::commits);
    counter(registry, "damask.commit.batches", "Batches of commits", Statistics::batches);
    FunctionCounter.builder("damask.commit.size", engine, each -> each.statistics().bytes())
        .description("Bytes of the revisions, without receipts and traces")
        .baseUnit("bytes")
        .tags(tags)
        .register(registry);
    counter(
        registry, "damask.moves.slow", "Moves that exceeded their budget", Statistics::slowMoves);
    counter(registry, "damask.shard.restarts", "Restarted shards", Statistics::shardRestarts);
    gauge(registry, "damask.cases.resident", "Cases in memory", Statistics::resident);
    gauge(registry, "damask.inbox", "Inputs that wait for their shard", Statistics::inbox);
    gauge(registry, "damask.effects.open", "Effects that run or wait", Statistics::openCalls);
    gauge(registry, "damask.incidents", "Tasks that wait for an operator", Statistics::incidents);
    gauge(
        registry,
        "damask.effects.permits",
        "Attempts that wait because of the limit of their type",
        Statistics::waitingForPermit);
    gauge(registry, "damask.cases.paused", "Paused cases", Statistics::paused);
    gauge(
        registry,
        "damask.cases.unprogrammed",
        "Cases without a program",
        Statistics::casesWithoutProgram);
    var types = new EffectTypeMeters(registry, tags);
    Gauge.builder("damask.effects.types", engine, types::count)
        .description("Effect types that were called")
        .tags(tags)
        .register(registry);
    timer(registry, "damask.commit", "From a move until it is durable", Statistics::committing);
    timer(registry, "damask.cancel", "From a cancel until it is durable", Statistics::cancelling);
    timer(registry, "damask.move", "How long a case keeps its shard", Statistics::moving);
  }

  private void counter(
      MeterRegistry registry, String name, String what, ToLongFunction<Statistics> read) {
    FunctionCounter.builder(name, engine, each -> read.applyAsLong(each.statistics()))
        .description(what)
        .tags(tags)
        .register(registry);
  }

  private void gauge(
      MeterRegistry registry, String name, String what, ToLongFunction<Statistics> read) {
    Gauge.builder(name, engine, each -> read.applyAsLong(each.statistics()))
        .description(what)
        .tags(tags)
        .register(registry);
  }

  private void timer(
      MeterRegistry registry, String name, String what, Function<Statistics, Latency> read) {
    FunctionTimer.builder(
            name,
            engine,
            each -> read.apply(each.statistics()).count(),
            each -> total(read.apply(each.statistics())),
            TimeUnit.MICROSECONDS)
        .description(what)
        .tags(tags)
        .register(registry);
    quantile(registry, name + ".p50", what + ", median", s -> read.apply(s).p50Micros());
    quantile(registry, name + ".p99", what + ", 99 of 100", s -> read.apply(s).p99Micros());
    quantile(registry, name + ".max", what + ", longest", s -> read.apply(s).maxMicros());
  }

  private static double total(Latency latency) {
    return (double) latency.count() * latency.meanMicros();
  }

  private void quantile(
      MeterRegistry registry, String name, String what, ToLongFunction<Statistics> micros) {
    TimeGauge.builder(
            name, engine, TimeUnit.MICROSECONDS, each -> micros.applyAsLong(each.statistics()))
        .description(what)
        .tags(tags)
        .register(registry);
  }
}
