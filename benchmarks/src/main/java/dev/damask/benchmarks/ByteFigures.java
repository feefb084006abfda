package dev.damask.benchmarks;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.MemoryStore;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/// The bytes of commits: what the write-ahead log of a store grows by, whatever it is for, and what
/// a waiting case takes in memory.
final class ByteFigures {
  private static final int BRANCHES = 10_000;
  private static final int FEW = 10;
  private static final int RESIDENT = 20_000;
  private static final int SIGNALS = 9_000;
  private static final int ROUNDS = 20;

  private final Path folder;
  private final Print print;
  private int stores;

  /// Prints one measurement.
  interface Print {
    void figure(String name, double value, String what, String rate);
  }

  ByteFigures(Path folder, Print print) {
    this.folder = folder;
    this.print = print;
  }

  void run() throws Exception {
    smallChange();
    branches();
    fork("fork100-value", Context.of("one", "x".repeat(50_000)));
    fork("fork100-keys", keys(1_000, 50));
    heap();
  }

  private static Context keys(int count, int size) {
    Map<String, Object> all = new HashMap<>();
    for (int i = 0; i < count; i++) {
      all.put("key" + i, Integer.toString(i).repeat(size).substring(0, size));
    }
    return Context.from(all);
  }

  private Path store() {
    return folder.resolve("bytes-" + stores++);
  }

  /// A context of 100 KB of which one key of 20 bytes changes.
  private void smallChange() throws Exception {
    int count = 100;
    Term wait = defer(on("go", skip()));
    WorkflowDefinition flow =
        workflow("small", seq(Collections.nCopies(count + 1, wait).toArray(Term[]::new)));
    Path store = store();
    try (Engine engine = Engine.open(EngineFigures.options(), store, flow)) {
      engine.start(flow, "one", keys(1_000, 100));
      long before = written(store);
      for (int i = 0; i < count; i++) {
        engine.signal("one", "go", Map.of("key500", "change" + (10_000_000_000_000L + i)));
      }
      double mean = (written(store) - before) / (double) count;
      print.figure("change-100k", mean, "bytes per commit, context of 100 KB, at most 500", "");
    }
  }

  private static WorkflowDefinition waiting(int branches) {
    Term wait = defer(on("go", skip()));
    return workflow("branches", par(Collections.nCopies(branches, wait).toArray(Term[]::new)))
        .withPlaces(Place.external("go"), Place.external("other"));
  }

  /// A signal to one of many waiting branches: its bytes and its CPU time.
  private void branches() throws Exception {
    WorkflowDefinition many = waiting(BRANCHES);
    Path store = store();
    try (Engine engine = Engine.open(EngineFigures.options(), store, many)) {
      engine.start(many, "one", Context.of("n", 1));
      engine.signal("one", "go", Map.of()); // returns when all branches wait
      long before = written(store);
      for (int i = 0; i < 100; i++) {
        engine.signal("one", "go", Map.of());
      }
      double mean = (written(store) - before) / 100.0;
      print.figure("signal-10000", mean, "bytes per signal, 10,000 branches, at most 600", "");
    }
    WorkflowDefinition few = waiting(FEW);
    Turns turns = new Turns();
    for (int round = 0; round < ROUNDS; round++) {
      turns.add(cpu(many, BRANCHES), cpu(few, FEW));
    }
    print.figure(
        "signal-10000-cpu",
        turns.ratio(),
        "CPU time of a signal against one to 10 branches, at most 1.5",
        "");
  }

  /// The CPU time per signal of all threads, in memory.
  private static double cpu(WorkflowDefinition flow, int branches) throws Exception {
    try (Engine engine = Engine.open(EngineFigures.options(), new MemoryStore(), flow)) {
      int each = Math.min(SIGNALS, branches - 1);
      for (int i = 0; i < SIGNALS / each; i++) {
        engine.start(flow, "c" + i, Context.of("n", 1));
        engine.signal("c" + i, "other", Map.of()); // returns when all branches wait
      }
      System.gc(); // not during the measurement
      long before = cpuNanos();
      for (int i = 0; i < SIGNALS; i++) {
        engine.signal("c" + i / each, "go", Map.of());
      }
      return (cpuNanos() - before) / (double) SIGNALS;
    }
  }

  private static long cpuNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long sum = 0;
    for (long id : threads.getAllThreadIds()) {
      sum += Math.max(0, threads.getThreadCpuTime(id));
    }
    return sum;
  }

  /// A fork of 100 effects from start to end.
  private void fork(String name, Context context) throws Exception {
    Term[] effects = new Term[100];
    EngineOptions options = EngineFigures.options();
    for (int i = 0; i < effects.length; i++) {
      String type = "e" + i;
      effects[i] = effect(type);
      options = options.withHandler(type, _ -> Map.of(type, "done"));
    }
    WorkflowDefinition flow = workflow("fork", par(effects));
    Path store = store();
    try (Engine engine = Engine.open(options, store, flow)) {
      long before = written(store);
      engine.start(flow, "one", context).await();
      long bytes = written(store) - before;
      print.figure(name, bytes / 1_000.0, "KB in the life of a fork of 100, at most 500", "");
    }
  }

  /// The heap of cases that wait, all in memory.
  void heap() throws Exception {
    WorkflowDefinition flow = workflow("waits", defer(on("go", skip())));
    EngineOptions options = EngineFigures.options().withResidentMax(2 * RESIDENT);
    try (Engine engine = Engine.open(options, store(), flow)) {
      start(engine, flow, 0, 1_000);
      long before = used();
      start(engine, flow, 1_000, RESIDENT);
      double each = (used() - before) / (RESIDENT - 1_000.0);
      long resident = engine.statistics().resident();
      print.figure(
          "heap-resident",
          each,
          "bytes of heap per waiting case, at most 600",
          resident + " cases");
    }
  }

  private static void start(Engine engine, WorkflowDefinition flow, int from, int to)
      throws InterruptedException {
    Semaphore room = new Semaphore(1_024);
    Context context = Context.of("n", 0, "customer", "c-17").with("total", 99);
    for (int i = from; i < to; i++) {
      room.acquire();
      var _ = engine.startAsync(flow, "order-" + i, context).whenComplete((_, _) -> room.release());
    }
    room.acquire(1_024);
  }

  private static long used() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  /// How many bytes the write-ahead log of a store has.
  private static long written(Path store) throws IOException {
    try (Stream<Path> files = Files.list(store.resolve("data"))) {
      List<Path> logs = files.filter(file -> file.toString().endsWith(".log")).toList();
      return logs.stream().mapToLong(file -> file.toFile().length()).sum();
    }
  }
}
