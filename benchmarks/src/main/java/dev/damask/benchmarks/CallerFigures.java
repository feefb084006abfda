package dev.damask.benchmarks;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.StoreProvider;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/// Prints the rates and latencies that one caller and a few callers see.
///
/// Arguments: the names of the measurements; all of them without arguments. Each prints one line
/// per round, so that rounds of two versions can be compared with their neighbours in time.
public final class CallerFigures {
  private static final Context START = Context.of("n", 0, "customer", "c-17").with("total", 99);
  private static final int BYTES = 330; // what seq5 writes for one case
  private static final long ROUND_NANOS = 2_000_000_000L;

  private final Path folder;
  private final WorkflowDefinition five =
      workflow(
          "seq5",
          task("a", CallerFigures::next),
          task("b", CallerFigures::next),
          task("c", CallerFigures::next),
          task("d", CallerFigures::next),
          task("e", CallerFigures::next));
  private int stores;

  private CallerFigures(Path folder) {
    this.folder = folder;
  }

  private static Context next(Context context) {
    return context.get("n") instanceof Long n ? context.with("n", n + 1) : context;
  }

  /// Runs the measurements that are named, or all.
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory(Path.of("."), "damask-callers");
    try {
      CallerFigures figures = new CallerFigures(folder);
      String[] all = {
        "memory", "call", "durable", "steps", "sixteen", "thousand", "thousand-durable", "async"
      };
      for (String name : arguments.length == 0 ? all : arguments) {
        figures.measure(name);
      }
    } finally {
      EngineFigures.delete(folder);
    }
  }

  private void measure(String name) throws Exception {
    for (int round = 0; round < 5; round++) {
      switch (name) {
        case "memory" -> memory();
        case "call" -> call();
        case "durable" -> durable();
        case "steps" -> steps();
        case "sixteen" -> sixteen();
        case "thousand" -> thousand(name, new MemoryStore());
        case "thousand-durable" -> thousand(name, store());
        case "async" -> async();
        default -> throw new IllegalArgumentException("unknown measurement: " + name);
      }
    }
  }

  private static EngineOptions options() {
    return EngineOptions.defaults().withGrace(Duration.ofMillis(50));
  }

  private Store store() {
    return StoreProvider.find().open(folder.resolve("s" + stores++));
  }

  /// seq5 in memory, `start` and `await`, one caller.
  private void memory() throws Exception {
    try (Engine engine = Engine.open(options(), new MemoryStore(), five)) {
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      long before = threads.getCurrentThreadCpuTime();
      double rate = rate(engine, 0);
      long cpu = threads.getCurrentThreadCpuTime() - before;
      double micros = cpu / 1e3 / engine.statistics().started();
      print(
          "memory",
          rate,
          String.format(
              Locale.ROOT, "cases/s, one caller; %.2f us of its CPU time per case", micros));
    }
  }

  /// seq5 by `call`.
  private void call() {
    try (Engine engine = Engine.open(options(), new MemoryStore(), five)) {
      long begin = System.nanoTime();
      long done = 0;
      while (System.nanoTime() - begin < ROUND_NANOS) {
        for (int i = 0; i < 100; i++) {
          engine.call(five, START);
        }
        done += 100;
      }
      print("call", done * 1e9 / (System.nanoTime() - begin), "calls/s");
    }
  }

  private double rate(Engine engine, int caller) throws InterruptedException {
    long begin = System.nanoTime();
    long done = 0;
    while (System.nanoTime() - begin < ROUND_NANOS) {
      engine.start(five, "c" + caller + "-" + done, START).await();
      done++;
    }
    return done * 1e9 / (System.nanoTime() - begin);
  }

  /// seq5 durable, one in flight, against a bare append with fdatasync, alternately.
  private void durable() throws Exception {
    int count = 2_000;
    long[] ours = new long[count];
    long[] bare = new long[count];
    try (Engine engine = Engine.open(options(), store(), five);
        FileChannel file = append()) {
      for (int i = 0; i < count; i++) {
        long begin = System.nanoTime();
        engine.start(five, "c" + i, START).await();
        long middle = System.nanoTime();
        sync(file);
        ours[i] = middle - begin;
        bare[i] = System.nanoTime() - middle;
      }
    }
    compare("durable", ours, bare);
  }

  private FileChannel append() throws IOException {
    return FileChannel.open(
        folder.resolve("bare" + stores++), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static void sync(FileChannel file) throws IOException {
    file.write(ByteBuffer.allocate(BYTES));
    file.force(false);
  }

  private static void compare(String name, long[] ours, long[] bare) {
    Arrays.sort(ours);
    Arrays.sort(bare);
    double[] at = {0.5, 0.99};
    StringBuilder line = new StringBuilder();
    for (double share : at) {
      double mine = ours[(int) (ours.length * share)] / 1_000.0;
      double its = bare[(int) (bare.length * share)] / 1_000.0;
      line.append(
          String.format(
              Locale.ROOT,
              " p%.0f %.0f us, bare %.0f us: %.2f;",
              share * 100,
              mine,
              its,
              mine / its));
    }
    System.out.println(name + line);
  }

  /// Effects in a row, one in flight: from one handler call to the next.
  private void steps() throws Exception {
    int count = 1_000;
    long[] between = new long[count];
    long[] bare = new long[count];
    AtomicLong last = new AtomicLong();
    int[] calls = {0};
    WorkflowDefinition row =
        workflow("row", effect("a"), effect("a2"), effect("a3"), effect("a4"), effect("a5"));
    EngineOptions handled = options();
    for (String type : new String[] {"a", "a2", "a3", "a4", "a5"}) {
      handled =
          handled.withHandler(
              type,
              call -> {
                long now = System.nanoTime();
                if (!call.type().equals("a") && calls[0] < count) {
                  between[calls[0]++] = now - last.get();
                }
                last.set(System.nanoTime());
                return null;
              });
    }
    try (Engine engine = Engine.open(handled, store(), row);
        FileChannel file = append()) {
      for (int i = 0; calls[0] < count; i++) {
        engine.start(row, "c" + i, START).await();
        for (int k = 4 * i; k < Math.min(4 * i + 4, count); k++) {
          long begin = System.nanoTime();
          sync(file);
          bare[k] = System.nanoTime() - begin;
        }
      }
    }
    compare("steps", between, bare);
  }

  /// seq5 durable, sixteen callers, against sixteen in flight over the time of a bare sync.
  private void sixteen() throws Exception {
    int callers = 16;
    AtomicLong done = new AtomicLong();
    double rate;
    double memory;
    try (Engine engine = Engine.open(options(), store(), five)) {
      rate = callers(engine, callers, done);
    }
    try (Engine engine = Engine.open(options(), new MemoryStore(), five)) {
      memory = callers(engine, callers, done);
    }
    long[] bare = new long[500];
    try (FileChannel file = append()) {
      for (int i = 0; i < bare.length; i++) {
        long begin = System.nanoTime();
        sync(file);
        bare[i] = System.nanoTime() - begin;
      }
    }
    Arrays.sort(bare);
    double bound = callers * 1e9 / bare[bare.length / 2];
    print(
        "sixteen",
        rate,
        String.format(
            Locale.ROOT,
            "cases/s; %.2f of 16 per bare sync, %.2f of memory with 16 callers (%.0f)",
            rate / bound,
            rate / memory,
            memory));
  }

  /// seq5, a thousand callers on virtual threads against sixteen on platform threads. Ended cases
  /// are removed after two seconds, as in a service that does not stop.
  private void thousand(String name, Store store) throws Exception {
    AtomicLong done = new AtomicLong();
    EngineOptions kept = options().withRetention(Duration.ofSeconds(2));
    try (Engine engine = Engine.open(kept, store, five)) {
      double few = callers(engine, 16, done);
      double many = callers(engine, 1_000, done);
      print(
          name,
          many,
          String.format(
              Locale.ROOT, "cases/s; %.2f of 16 callers (%.0f), at least 1", many / few, few));
    }
  }

  private double callers(Engine engine, int callers, AtomicLong done) throws Exception {
    done.set(0);
    CountDownLatch ended = new CountDownLatch(callers);
    Thread.Builder threads = callers > 16 ? Thread.ofVirtual() : Thread.ofPlatform();
    long begin = System.nanoTime();
    for (int i = 0; i < callers; i++) {
      String caller = "c" + callers + "-" + i + "-";
      threads.start(() -> {
        try {
          long mine = 0;
          while (System.nanoTime() - begin < ROUND_NANOS) {
            engine.start(five, caller + mine++, START).await();
          }
          done.addAndGet(mine);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        } finally {
          ended.countDown();
        }
      });
    }
    ended.await();
    return done.get() * 1e9 / (System.nanoTime() - begin);
  }

  /// 10,000 `startAsync` from one thread, durable, three times.
  private void async() throws Exception {
    try (Engine engine = Engine.open(options().withInbox(65_536, false), store(), five)) {
      for (int part = 0; part < 3; part++) {
        int count = 10_000;
        CompletableFuture<?>[] all = new CompletableFuture<?>[count];
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
          all[i] = engine.startAsync(five, "p" + part + "-" + i, START);
        }
        CompletableFuture.allOf(all).join();
        if (part == 2) {
          print("async", count * 1e9 / (System.nanoTime() - begin), "cases/s of 10,000");
        }
      }
    }
  }

  private static void print(String name, double value, String what) {
    System.out.printf(Locale.ROOT, "%-16s %10.0f  %s%n", name, value, what);
  }
}
