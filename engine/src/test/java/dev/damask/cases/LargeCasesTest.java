package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.event.Failure;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Limits;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Input that grows: the cost is linear with raised limits, and the default limits refuse it.
///
/// Costs are the CPU time of the process and the bytes that are committed. What grows with the
/// square of the size exceeds the bounds of the CPU time, which leave room for a busy machine.
/// `-Ddamask.growth=10` runs ten times the sizes.
@Timeout(500)
final class LargeCasesTest {
  private static final int GROWTH = Integer.getInteger("damask.growth", 1);
  private static final int MEGABYTE = 1 << 20;
  private static final Limits RAISED =
      new Limits(
          1_000_000,
          1_000_000,
          50,
          1_000_000,
          1_000_000,
          1_000_000,
          48 * MEGABYTE,
          1_000_000_000L,
          48 * MEGABYTE,
          48 * MEGABYTE);
  private static final CaseOptions LARGE = CaseOptions.DEFAULT.withLimits(RAISED);

  private static EngineOptions options() {
    return EngineOptions.defaults()
        .withShards(1)
        .withGrace(Duration.ofMillis(50))
        .withMoveBudget(Duration.ofMinutes(1));
  }

  /// What something cost.
  private record Cost(long cpuMillis, long committed) {
    /// How many times the cost of something smaller.
    void requireAtMost(double times, Cost smaller) {
      assertThat(committed / (double) smaller.committed).as("bytes").isLessThan(1.3 * times);
      assertThat(cpuMillis / (50.0 + smaller.cpuMillis)).as("CPU time").isLessThan(2.5 * times);
    }
  }

  private static Cost cost(Engine engine, Runnable code) {
    long bytes = engine.statistics().bytes();
    long before = cpuMillis();
    code.run();
    return new Cost(cpuMillis() - before, engine.statistics().bytes() - bytes);
  }

  private static long cpuMillis() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
  }

  private static WorkflowDefinition signals(int count) {
    return workflow("signals", repeat(count, defer(on("go", skip()))));
  }

  @Test
  void a_context_that_grows_costs_what_is_added() {
    int count = 2_000 * GROWTH;
    WorkflowDefinition flow = signals(8 * count);
    try (Engine engine = Engine.open(options(), new MemoryStore(), flow)) {
      engine.start(flow, "one", Context.empty(), LARGE);
      grow(engine, -count, count);
      Cost first = cost(engine, () -> grow(engine, 0, count));
      Cost later = cost(engine, () -> grow(engine, count, 4 * count));

      later.requireAtMost(4, first);
      assertThat(later.committed()).isLessThan(4L * count * 1_000);
    }
  }

  private static void grow(Engine engine, int from, int count) {
    for (int i = from; i < from + count; i++) {
      engine.signal("one", "go", Map.of("key" + i, "value".repeat(20) + i));
    }
  }

  @Test
  void a_context_that_grows_beyond_the_default_limit_fails_the_case() throws Exception {
    WorkflowDefinition flow =
        workflow(
            "grows",
            repeat(1_000_000, task("add", c -> c.with("key" + c.size(), "x".repeat(1_000)))));
    try (Engine engine = Engine.open(options(), new MemoryStore(), flow)) {
      CaseResult<Context> result = engine.start(flow, "one", Context.empty()).await();

      assertThat(result).isInstanceOf(CaseResult.Failed.class);
      Failure failure = ((CaseResult.Failed<Context>) result).error();
      assertThat(failure.reason()).isEqualTo(Failure.LIMIT);
      assertThat(failure.detail()).contains("at most 262144");
    }
  }

  @Test
  void a_million_writes_to_one_key_need_the_memory_of_one() throws Exception {
    WorkflowDefinition flow =
        workflow(
            "writes",
            repeat(
                1_000_000,
                task("write", c -> c.with("n", c.get("n") instanceof Long n ? n + 1 : 1L))));
    MemoryStore store = new MemoryStore();
    try (Engine engine = Engine.open(options(), store, flow)) {
      CaseResult<Context> result = engine.start(flow, "one", Context.empty()).await();

      assertThat(result).isEqualTo(new CaseResult.Completed<>(Context.of("n", 1_000_000)));
      assertThat(engine.statistics().bytes()).isLessThan(100_000);
      assertThat(store.trace("one").stream().mapToLong(part -> part.length).sum())
          .isLessThan(2 * MEGABYTE);
    }
  }

  @Test
  void a_commit_for_every_write_to_one_key_costs_the_same_for_ever() {
    int count = 10_000 * GROWTH;
    WorkflowDefinition flow = signals(1_000_000 * GROWTH);
    MemoryStore store = new MemoryStore();
    try (Engine engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty(), LARGE);
      write(engine, count);
      Cost first = cost(engine, () -> write(engine, count));
      Cost later = cost(engine, () -> write(engine, 4 * count));

      later.requireAtMost(4, first);
      assertThat(store.states("one", 1, Long.MAX_VALUE).size())
          .as("the past has a bound")
          .isLessThan(21_000);
      assertThat(engine.verify()).isEmpty();
    }
  }

  private static void write(Engine engine, int count) {
    for (int i = 0; i < count; i++) {
      engine.signal("one", "go", Map.of("n", i));
    }
  }

  /// Instances that each wait for a signal.
  private static WorkflowDefinition waiting(int count) {
    return workflow("w" + count, instances("m", InstancePolicy.fixed(count), take("go")))
        .withPlaces(Place.external("go"));
  }

  @Test
  void a_hundred_thousand_branches_cost_ten_times_ten_thousand_and_a_signal_to_one_the_same() {
    WorkflowDefinition few = waiting(10_000);
    WorkflowDefinition many = waiting(100_000);
    try (Engine engine = Engine.open(options(), new MemoryStore(), few, many)) {
      engine.start(few, "warm", Context.of("n", 1), LARGE); // queued: reads the timers first
      Cost startFew = cost(engine, () -> start(engine, few, "few"));
      Cost startMany = cost(engine, () -> start(engine, many, "many"));

      startMany.requireAtMost(10, startFew);
      Cost signalsFew = cost(engine, () -> signal(engine, "few", 1_000));
      Cost signalsMany = cost(engine, () -> signal(engine, "many", 1_000));
      // Under -ea the machine checks the whole state after each step, so the time says nothing.
      assertThat(signalsMany.committed()).isLessThan(signalsFew.committed() * 3 / 2);
    }
  }

  private static void start(Engine engine, WorkflowDefinition flow, String id) {
    engine.start(flow, id, Context.of("n", 1), LARGE);
    engine.signal(id, "go", Map.of()); // accepted when all branches wait
  }

  private static void signal(Engine engine, String id, int count) {
    for (int i = 0; i < count; i++) {
      engine.signal(id, "go", Map.of());
    }
  }

  @Test
  void a_hundred_thousand_branches_are_refused_by_the_default_limits() throws Exception {
    WorkflowDefinition many = waiting(100_000);
    try (Engine engine = Engine.open(options(), new MemoryStore(), many)) {
      CaseResult<Context> result = engine.start(many, "one", Context.empty()).await();

      assertThat(result).isInstanceOf(CaseResult.Failed.class);
      Failure failure = ((CaseResult.Failed<Context>) result).error();
      assertThat(failure.detail()).contains("limit instances: at most 10000, found 100000");
    }
  }

  @Test
  void a_value_of_a_megabyte_in_each_of_a_thousand_branches_is_kept_once() {
    WorkflowDefinition flow = waiting(1_000);
    Context large = Context.of("document", "x".repeat(MEGABYTE));
    try (Engine engine = Engine.open(options(), new MemoryStore(), flow)) {
      engine.start(flow, "warm", Context.empty(), LARGE);
      Cost start =
          cost(
              engine,
              () -> {
                engine.start(flow, "one", large, LARGE);
                engine.signal("one", "go", Map.of());
              });
      Cost signals = cost(engine, () -> signal(engine, "one", 500));

      assertThat(start.committed()).isLessThan(2 * MEGABYTE);
      assertThat(signals.committed()).isLessThan(500 * 400);
    }
  }

  @Test
  void a_thousand_branches_with_a_megabyte_of_their_own_are_quarantined_with_the_bound() {
    WorkflowDefinition flow =
        workflow(
                "own",
                defer(on("begin", skip())),
                instances(
                    "m",
                    InstancePolicy.fixed(1_000),
                    task("write", c -> c.with("own", "y".repeat(MEGABYTE / 2))),
                    take("go")))
            .withPlaces(Place.external("go"), Place.external("begin"));
    try (Engine engine = Engine.open(options(), new MemoryStore(), flow)) {
      engine.start(flow, "one", Context.empty(), LARGE);
      assertThatThrownBy(() -> engine.signal("one", "begin", Map.of()))
          .hasMessageContaining("the state of case one has about")
          .hasMessageContaining("at most " + Bounds.STATE_BYTES + " can be stored");

      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.QUARANTINED);
    }
  }

  @Test
  void a_megabyte_is_refused_by_the_default_limits_before_anything_is_stored() {
    WorkflowDefinition flow = waiting(10);
    Context large = Context.of("document", "x".repeat(MEGABYTE));
    try (Engine engine = Engine.open(options(), new MemoryStore(), flow)) {
      assertThatThrownBy(() -> engine.start(flow, "one", large))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("case one: a context has at most 262144 bytes");
      assertThat(engine.statistics().started()).isZero();
    }
  }
}
