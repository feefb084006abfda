package dev.damask.benchmarks;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.workflow;

import dev.damask.caller.CaseOptions;
import dev.damask.cases.Engine;
import dev.damask.store.MemoryStore;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Limits;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// Prints what a commit costs against the size of its case: CPU time of all Java threads in
/// microseconds, and bytes. The last line belongs into `docs/benchmarks.jsonl`, from which
/// [CostGraphs] draws.
///
/// All sizes take turns in each round, and the median round counts.
public final class GrowthFigures {
  private static final int SIGNALS = 2_000;
  private static final int ROUNDS = 5;
  private static final int MEGABYTES = 48 << 20;
  private static final CaseOptions LARGE =
      CaseOptions.DEFAULT.withLimits(
          new Limits(
              1_000_000,
              1_000_000,
              50,
              1_000_000,
              1_000_000,
              1_000_000,
              MEGABYTES,
              1_000_000_000L,
              MEGABYTES,
              MEGABYTES));

  private final Map<String, double[][]> rounds = new TreeMap<>();

  private GrowthFigures() {}

  /// The argument is the number of rounds; five without it.
  public static void main(String[] arguments) {
    int count = arguments.length == 0 ? ROUNDS : Integer.parseInt(arguments[0]);
    GrowthFigures figures = new GrowthFigures();
    for (int round = 0; round <= count; round++) { // the first one warms up
      for (int size = 10; size <= 100_000; size *= 10) {
        figures.note("branches-" + size, round, count, branches(size));
        figures.note("steps-" + size, round, count, steps(size));
        if (size <= 10_000) {
          figures.note("context-" + size / 10, round, count, context(size));
        }
      }
    }
    figures.print();
  }

  private void note(String name, int round, int count, double[] cost) {
    System.out.printf(
        Locale.ROOT, "%-16s round %d: %8.2f us %8.1f bytes%n", name, round, cost[0], cost[1]);
    double[][] all = rounds.computeIfAbsent(name, _ -> new double[2][count]);
    if (round > 0) {
      all[0][round - 1] = cost[0];
      all[1][round - 1] = cost[1];
    }
  }

  private void print() {
    StringBuilder figures = new StringBuilder();
    rounds.forEach((name, all) -> {
      java.util.Arrays.sort(all[0]);
      java.util.Arrays.sort(all[1]);
      int middle = all[0].length / 2;
      figures
          .append(figures.isEmpty() ? "" : ", ")
          .append(
              String.format(
                  Locale.ROOT,
                  "\"%s\": %.2f, \"%s-bytes\": %.1f",
                  name,
                  all[0][middle],
                  name,
                  all[1][middle]));
    });
    System.out.printf(
        "{\"date\": \"%s\", \"machine\": \"%d cores, %s, Java %s\", \"module\": \"growth\","
            + " \"figures\": {%s}}%n",
        LocalDate.now(java.time.ZoneOffset.UTC),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name"),
        System.getProperty("java.version"),
        figures);
  }

  private static Engine open(WorkflowDefinition flow) {
    return Engine.open(EngineFigures.options(), new MemoryStore(), flow);
  }

  private static WorkflowDefinition signals(int count) {
    return workflow("signals", repeat(count, defer(on("go", skip()))));
  }

  /// One key of a context with so many keys of 100 bytes changes.
  private static double[] context(int keys) {
    WorkflowDefinition flow = signals(2 * SIGNALS);
    Map<String, Object> all = new HashMap<>();
    for (int i = 0; i < keys; i++) {
      all.put("key" + i, "x".repeat(100 - 5 - Integer.toString(i).length()));
    }
    try (Engine engine = open(flow)) {
      engine.start(flow, "one", Context.from(all), LARGE);
      return cost(
          engine,
          SIGNALS,
          i -> engine.signal("one", "go", Map.of("key" + i % keys, "changed " + i)));
    }
  }

  /// A signal to one of so many branches that wait.
  private static double[] branches(int count) {
    WorkflowDefinition flow =
        workflow("branches", instances("m", InstancePolicy.fixed(count), take("go")))
            .withPlaces(Place.external("go"), Place.external("other"));
    int each = Math.min(SIGNALS, count - 1);
    try (Engine engine = open(flow)) {
      for (int i = 0; i <= SIGNALS / each; i++) {
        engine.start(flow, "c" + i, Context.of("n", 1), LARGE);
        engine.signal("c" + i, "other", Map.of()); // returns when all branches wait
      }
      return cost(engine, SIGNALS, i -> engine.signal("c" + i / each, "go", Map.of()));
    }
  }

  /// A signal to a case that has made so many steps, each with its commit.
  private static double[] steps(int count) {
    WorkflowDefinition flow = signals(count + SIGNALS + 1);
    int each = Math.min(count, SIGNALS);
    try (Engine engine = open(flow)) {
      for (int i = 0; i <= SIGNALS / each; i++) {
        engine.start(flow, "c" + i, Context.of("n", 1), LARGE);
        for (int k = 0; k < count; k++) {
          engine.signal("c" + i, "go", Map.of("n", k));
        }
      }
      return cost(engine, SIGNALS, i -> engine.signal("c" + i / each, "go", Map.of("n", i)));
    }
  }

  private interface Step {
    void run(int number);
  }

  /// The CPU time and the bytes of one signal.
  private static double[] cost(Engine engine, int count, Step step) {
    System.gc(); // not during the measurement
    long bytes = engine.statistics().bytes();
    long before = cpuNanos();
    for (int i = 0; i < count; i++) {
      step.run(i);
    }
    double micros = (cpuNanos() - before) / 1_000.0 / count;
    return new double[] {micros, (engine.statistics().bytes() - bytes) / (double) count};
  }

  private static long cpuNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long sum = 0;
    for (long id : threads.getAllThreadIds()) {
      sum += Math.max(0, threads.getThreadCpuTime(id));
    }
    return sum;
  }
}
