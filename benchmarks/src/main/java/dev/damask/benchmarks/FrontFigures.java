package dev.damask.benchmarks;

import static dev.damask.term.Flow.workflow;
import static dev.damask.typed.Steps.child;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.otherwise;
import static dev.damask.typed.Steps.par;
import static dev.damask.typed.Steps.seq;
import static dev.damask.typed.Steps.task;
import static dev.damask.typed.Steps.when;
import static dev.damask.typed.Steps.xor;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.rocksdb.RocksStore;
import dev.damask.term.Flow;
import dev.damask.term.Schedule;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.typed.Step;
import dev.damask.typed.Steps;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// Prints figures of the API for Java teams, each with its bound. Arguments: `assignment` (checking
/// the keys of a workflow of 10,000 nodes), `schedules` (10,000 schedules of which none is due),
/// `child` (commits of a case with a child); without an argument all of them. The costs of typed
/// workflows and scripts are `EngineFigures typed` and `EngineFigures script`, that of queries is
/// [QueryFigures].
public final class FrontFigures {
  private static final Key<Long> N = Key.of("n", Long.class);
  private static final Key<Long> M = Key.of("m", Long.class);
  private static final int NODES = 10_000;
  private static final int SCHEDULES = 10_000;
  private static final Duration IDLE = Duration.ofSeconds(20);

  private FrontFigures() {}

  public static void main(String[] arguments) throws Exception {
    String wanted = arguments.length == 0 ? "all" : arguments[0];
    if (wanted.equals("assignment") || wanted.equals("all")) {
      assignment();
    }
    if (wanted.equals("schedules") || wanted.equals("all")) {
      schedules();
    }
    if (wanted.equals("child") || wanted.equals("all")) {
      children();
    }
  }

  private static void print(String name, double value, String what, String detail) {
    System.out.printf(Locale.ROOT, "%-18s %8.3f  %s  %s%n", name, value, what, detail);
  }

  // definite assignment

  /// Seven nodes: a task beside a choice between two, and a task that reads the result.
  private static Step block(int number) {
    return seq(
        par(
            task("a" + number, N, n -> n + 1).as(M),
            xor(
                when("even" + number, N, n -> n % 2 == 0, task("b" + number, N, n -> n)),
                otherwise(task("c" + number, N, n -> n)))),
        task("d" + number, M, m -> m).as(N));
  }

  /// Building a typed workflow checks its keys. The same workflow is built from the same parts, so
  /// what is measured is the check and little else.
  private static void assignment() {
    List<Step> parts = new ArrayList<>();
    for (int i = 0; i < NODES / 7; i++) {
      parts.add(block(i));
    }
    Step[] all = parts.toArray(Step[]::new);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    double[] millis = new double[40];
    for (int i = 0; i < millis.length; i++) {
      long begin = threads.getCurrentThreadCpuTime(); // others may use the processor too
      Workflow<Long, Long> built = Steps.workflow("large", N, N, all);
      millis[i] = (threads.getCurrentThreadCpuTime() - begin) / 1e6;
      if (built.definition().body() == null) {
        throw new IllegalStateException("nothing was built");
      }
    }
    double[] warm = Arrays.copyOfRange(millis, millis.length / 2, millis.length);
    Arrays.sort(warm);
    print(
        "assignment-10000",
        warm[warm.length / 2] / 50,
        "of 50 ms, at most 1",
        "(median %.1f ms, first %.1f ms)".formatted(warm[warm.length / 2], millis[0]));
  }

  // schedules

  private static double cpuMillis() {
    Duration used = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    return used.toNanos() / 1e6;
  }

  /// The CPU time of an engine with schedules against that of one without.
  private static void schedules() throws Exception {
    double without = idle(0);
    double with = idle(SCHEDULES);
    print(
        "schedules-10000",
        with - without,
        "ms of CPU time in %s more than without schedules".formatted(IDLE),
        "(%.0f ms with, %.0f ms without)".formatted(with, without));
  }

  private static double idle(int schedules) throws Exception {
    WorkflowDefinition flow = workflow("w", Flow.skip());
    try (Engine engine = Engine.open(EngineOptions.defaults(), new MemoryStore(), flow)) {
      for (int i = 0; i < schedules; i++) {
        engine.schedules().put("s" + i, Schedule.every(Duration.ofDays(30)), flow, Context.empty());
      }
      System.gc();
      Thread.sleep(2_000); // what putting them has started comes to an end
      double before = cpuMillis();
      Thread.sleep(IDLE.toMillis());
      return cpuMillis() - before;
    }
  }

  // children

  /// The commits of a parent with one child against those of two separate cases that do the same.
  private static void children() throws Exception {
    Workflow<Long, Long> single =
        Steps.workflow("single", N, N, effect("work", N, n -> n + 1).as(N));
    Workflow<Long, Long> parent = Steps.workflow("parent", N, N, child("child", single, N).as(N));
    Path folder = Files.createTempDirectory("damask-figures");
    int count = 500;
    try {
      double alone = commits(RocksStore.open(folder.resolve("alone")), single, 2 * count);
      double both = commits(RocksStore.open(folder.resolve("both")), parent, count);
      print(
          "child-commits",
          (both - alone) / count,
          "commits more per parent and child than of two such cases, at most 2",
          "(%.2f against %.2f)".formatted(both / count, alone / count));
    } finally {
      EngineFigures.delete(folder);
    }
  }

  private static double commits(Store store, Workflow<Long, Long> flow, int count) {
    try (Engine engine = Engine.open(EngineOptions.defaults().withShards(1), store, flow)) {
      for (int i = 0; i < count; i++) {
        engine.start(flow, "c" + i, (long) i).join();
      }
      return engine.statistics().commits();
    }
  }
}
