package dev.damask.benchmarks;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.compile.Compiler;
import dev.damask.exec.Machine;
import dev.damask.ops.CaseEvent;
import dev.damask.ops.Statistics;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.store.MemoryStore;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/// Prints the figures of the durable engine as ratios of one run. Both sides of a ratio take turns
/// ([Turns]); of a signal and a hand-over the best turn counts.
///
/// Arguments: nothing for all figures but the largest, `million` for a million waiting cases,
/// `effects` for the five effects alone, `trace` for the cost of the trace level `min`, `typed` for
/// the cost of typed workflows, `script` for the cost of scripts.
public final class EngineFigures {
  private static final int TURNS = 12;
  private static final int TURNS_OF_EFFECTS = 20; // many threads are compiled for half a minute
  private static final String HALF_WAY = "halfways"; // as long as the ids of other cases
  private static final int STEP_BYTES = 330;
  private static final long TURN_NANOS = 1_500_000_000L;
  private static final Context START = Context.of("n", 0, "customer", "c-17").with("total", 99);

  private final List<String> json = new ArrayList<>();
  private final Path folder;
  private int cases;

  private EngineFigures(Path folder) {
    this.folder = folder;
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("damask-figures");
    try {
      EngineFigures figures = new EngineFigures(folder);
      if (arguments.length > 0 && arguments[0].equals("million")) {
        figures.waiting(1_000_000);
      } else if (arguments.length > 0 && arguments[0].equals("effects")) {
        figures.effects();
      } else if (arguments.length > 0 && arguments[0].equals("trace")) {
        figures.traces();
      } else if (arguments.length > 0 && arguments[0].equals("bytes")) {
        new ByteFigures(folder, figures::print).run();
      } else if (arguments.length > 0 && arguments[0].equals("heap")) {
        new ByteFigures(folder, figures::print).heap();
      } else if (arguments.length > 0 && arguments[0].equals("typed")) {
        figures.typed();
      } else if (arguments.length > 0 && arguments[0].equals("script")) {
        figures.scripts();
      } else {
        figures.run();
      }
      System.out.println("{" + String.join(", ", figures.json) + "}");
    } finally {
      delete(folder);
    }
  }

  private void run() throws Exception {
    memory();
    durable();
    effects();
    signals();
    typed();
    scripts();
    waiting(100_000);
  }

  private static WorkflowDefinition five() {
    return workflow(
        "seq5",
        task("a", EngineFigures::next),
        task("b", EngineFigures::next),
        task("c", EngineFigures::next),
        task("d", EngineFigures::next),
        task("e", EngineFigures::next));
  }

  private static Context next(Context context) {
    return context.get("n") instanceof Long n ? context.with("n", n + 1) : context;
  }

  private static WorkflowDefinition waits() {
    return workflow("waits", defer(on("go", skip())));
  }

  // seq5 in memory

  private void memory() throws Exception {
    Program program = Compiler.compile(five());
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    WorkflowDefinition flow = five();
    Turns turns = new Turns();
    for (int turn = 0; turn < TURNS; turn++) {
      double bare = bare(machine);
      try (Engine engine = Engine.open(options(), new MemoryStore(), flow)) {
        turns.add(rate(engine, flow, 4_096), bare);
      }
    }
    print("seq5-mem", turns.ratio(), "of the bare machine, at least 0.05", turns.spread("cases/s"));
  }

  private static double bare(Machine machine) {
    long begin = System.nanoTime();
    long done = 0;
    while (System.nanoTime() - begin < TURN_NANOS / 4) {
      for (int i = 0; i < 1_000; i++) {
        var state = machine.start(START, 0);
        machine.run(state, Integer.MAX_VALUE);
        done++;
      }
    }
    return done * 1e9 / (System.nanoTime() - begin);
  }

  /// Starts cases, so many at once, and counts those that ended.
  private double rate(Engine engine, WorkflowDefinition flow, int inFlight)
      throws InterruptedException {
    return rate(engine, flow, START, inFlight);
  }

  private <I> double rate(Engine engine, Workflow<I, ?> flow, I input, int inFlight)
      throws InterruptedException {
    Semaphore room = new Semaphore(inFlight);
    long begin = System.nanoTime();
    long started = 0;
    while (System.nanoTime() - begin < TURN_NANOS) {
      room.acquire();
      started++;
      var _ = engine.startAsync(flow, id(++cases), input).whenComplete((_, _) -> room.release());
    }
    room.acquire(inFlight);
    return started * 1e9 / (System.nanoTime() - begin);
  }

  static EngineOptions options() {
    return EngineOptions.defaults().withInbox(65_536, false).withGrace(Duration.ofMillis(50));
  }

  // seq5 on the disk

  private void durable() throws Exception {
    WorkflowDefinition flow = five();
    Turns turns = new Turns();
    for (int turn = 0; turn < TURNS; turn++) {
      Path store = folder.resolve("seq5-" + turn);
      double through;
      int size;
      try (Engine engine = Engine.open(options(), store, flow)) {
        through = rate(engine, flow, 4_096);
        Statistics statistics = engine.statistics();
        size = (int) Math.max(1, statistics.commits() / statistics.batches());
      }
      List<RawStore.Entry> same = RawStore.entriesOf(store, last());
      try (RawStore rocks = new RawStore(folder.resolve("raw-" + turn))) {
        turns.add(through, rocks.recordsPerSecond(size, same, last(), TURN_NANOS));
      }
    }
    print(
        "seq5-durable",
        turns.ratio(),
        "of RocksDB with the same bytes and batches, at least 0.3",
        turns.spread("cases/s"));
    try (Engine engine = Engine.open(options(), folder.resolve("seq5-one"), flow)) {
      for (int i = 0; i < 500; i++) {
        engine.start(flow, "one-" + i, START).await();
      }
      double syncs = engine.statistics().batches() / 500.0;
      print("seq5-one", syncs, "syncs per case, at most 1.5", "");
    }
  }

  // the cost of the default trace level

  private void traces() throws Exception {
    EngineOptions none = options().withTrace(TraceLevel.NONE);
    WorkflowDefinition flow = five();
    Turns memory = new Turns();
    for (int turn = 0; turn < TURNS; turn++) {
      memory.add(inMemory(options(), flow), inMemory(none, flow));
    }
    print("seq5-mem-min", memory.ratio(), "of the rate at level none", memory.spread("cases/s"));
    WorkflowDefinition five = fiveEffects();
    Turns disk = new Turns();
    for (int turn = 0; turn < TURNS_OF_EFFECTS; turn++) {
      double min = onDisk(handled(), five, "min-" + turn);
      disk.add(min, onDisk(handled().withTrace(TraceLevel.NONE), five, "none-" + turn));
    }
    print("effects5-min", disk.ratio(), "of the rate at level none", disk.spread("cases/s"));
  }

  private double inMemory(EngineOptions options, WorkflowDefinition flow)
      throws InterruptedException {
    return inMemory(options, flow, START);
  }

  private <I> double inMemory(EngineOptions options, Workflow<I, ?> flow, I input)
      throws InterruptedException {
    try (Engine engine = Engine.open(options, new MemoryStore(), flow)) {
      return rate(engine, flow, input, 4_096);
    }
  }

  private double onDisk(EngineOptions options, WorkflowDefinition flow, String name)
      throws Exception {
    return onDisk(options, flow, START, name);
  }

  private <I> double onDisk(EngineOptions options, Workflow<I, ?> flow, I input, String name)
      throws Exception {
    Semaphore room = new Semaphore(1_000);
    EngineOptions listening = options.withListener(event -> leave(event, room));
    try (Engine engine = Engine.open(listening, folder.resolve(name), flow)) {
      return completed(engine, flow, input, room);
    }
  }

  // the typed layer

  private void typed() throws Exception {
    Turns memory = new Turns();
    for (int turn = 0; turn < TURNS; turn++) {
      double typed = inMemory(options(), TypedFlows.SEQUENCE, TypedFlows.START);
      memory.add(typed, inMemory(options(), five()));
    }
    print("typed-seq5-mem", memory.ratio(), "of the flat rate, at least 0.75", memory.spread("/s"));
    Turns disk = new Turns();
    for (int turn = 0; turn < TURNS; turn++) {
      double typed = onDisk(options(), TypedFlows.EFFECTS, TypedFlows.START, "typed-" + turn);
      disk.add(typed, onDisk(options(), TypedFlows.FLAT_EFFECTS, "flat-" + turn));
    }
    print("typed-effects5", disk.ratio(), "of the flat rate, at least 0.9", disk.spread("/s"));
  }

  /// A script of five steps against the same five effects as a term.
  private void scripts() throws Exception {
    Turns memory = new Turns();
    Turns disk = new Turns();
    for (int turn = 0; turn < TURNS; turn++) {
      double script = inMemory(options(), TypedFlows.SCRIPT, TypedFlows.START);
      memory.add(script, inMemory(options(), TypedFlows.EFFECTS, TypedFlows.START));
    }
    print("script5-mem", 1 / memory.ratio(), "times the term's time", memory.spread("/s"));
    for (int turn = 0; turn < TURNS; turn++) {
      double script = onDisk(options(), TypedFlows.SCRIPT, TypedFlows.START, "script-" + turn);
      disk.add(
          script, onDisk(options(), TypedFlows.EFFECTS, TypedFlows.START, "no-script-" + turn));
    }
    print(
        "script5-durable",
        1 / disk.ratio(),
        "times the term's time, at most 1.3",
        disk.spread("/s"));
  }

  private static WorkflowDefinition fiveEffects() {
    return workflow("effects5", effect("a"), effect("b"), effect("c"), effect("d"), effect("e"));
  }

  // five effects on the disk

  private void effects() throws Exception {
    WorkflowDefinition flow = fiveEffects();
    List<RawStore.Entry> step = List.of(step());
    Turns turns = new Turns();
    double most = 0;
    for (int turn = 0; turn < TURNS_OF_EFFECTS; turn++) {
      Path ours = folder.resolve("effects-" + turn);
      Path raw = folder.resolve("raw-effects-" + turn);
      double steps = 5 * onDisk(handled(), flow, ours.getFileName().toString());
      delete(ours); // what is left would be written back during the next turn
      double records;
      try (RawStore rocks = new RawStore(raw)) {
        records = rocks.recordsPerSecond(256, step, HALF_WAY, TURN_NANOS);
      }
      delete(raw);
      turns.add(steps, records);
      most = Math.max(most, records);
    }
    print(
        "effects5-durable",
        turns.ratio(),
        "effect steps per record of RocksDB of 330 bytes in batches of 256, at least 0.5",
        "%s, RocksDB %.0f records/s".formatted(turns.spread("steps/s"), most));
    try (Engine engine = Engine.open(handled(), folder.resolve("effects-one"), flow)) {
      for (int i = 0; i < 200; i++) {
        engine.start(flow, "one-" + i, START).await();
      }
      double syncs = engine.statistics().batches() / 1_000.0;
      print("effects5-one", syncs, "syncs per effect, at most 2.2", "");
    }
  }

  /// A record of the size that a step had in format 4, the form of stores before bases and deltas.
  private static RawStore.Entry step() {
    byte[] key = ("c" + HALF_WAY).getBytes(StandardCharsets.UTF_8);
    return new RawStore.Entry(key, new byte[STEP_BYTES - key.length]);
  }

  /// The case that was started last.
  private String last() {
    return id(cases);
  }

  /// Ids of one length, so that others can take their place.
  private static String id(int number) {
    return HexFormat.of().toHexDigits(number);
  }

  private static EngineOptions handled() {
    EngineOptions options = options();
    for (String type : List.of("a", "b", "c", "d", "e")) {
      options = options.withHandler(type, _ -> null);
    }
    return options;
  }

  private static void leave(CaseEvent event, Semaphore room) {
    if (event.status().isEnded()) {
      room.release();
    }
  }

  /// As [#rate], but a case counts when it has ended.
  private <I> double completed(Engine engine, Workflow<I, ?> flow, I input, Semaphore room)
      throws InterruptedException {
    int inFlight = room.availablePermits();
    long begin = System.nanoTime();
    long started = 0;
    while (System.nanoTime() - begin < TURN_NANOS) {
      room.acquire();
      started++;
      var _ = engine.startAsync(flow, id(++cases), input);
    }
    room.acquire(inFlight);
    return started * 1e9 / (System.nanoTime() - begin);
  }

  // a signal to a waiting case

  private void signals() throws Exception {
    WorkflowDefinition flow = waits();
    double handOver = Double.MAX_VALUE;
    double signal = Double.MAX_VALUE;
    for (int turn = 0; turn < TURNS; turn++) {
      handOver = Math.min(handOver, handOver());
      try (Engine engine = Engine.open(options(), new MemoryStore(), flow)) {
        signal = Math.min(signal, signal(engine, flow, 3_000));
      }
    }
    print(
        "signal-mem",
        signal / handOver,
        "hand-overs to a thread and back, at most 3",
        signal / 1_000 + " us");
    try (Engine engine = Engine.open(options(), folder.resolve("signals"), flow)) {
      int count = 300;
      for (int i = 0; i < count; i++) {
        engine.start(flow, "s" + i, START);
      }
      long before = engine.statistics().batches();
      for (int i = 0; i < count; i++) {
        engine.signal("s" + i, "go", Map.of());
        engine.await("s" + i);
      }
      double syncs = (engine.statistics().batches() - before) / (double) count;
      print("signal-durable", syncs, "syncs per signal, at most 1.5", "");
    }
  }

  private double signal(Engine engine, WorkflowDefinition flow, int count)
      throws InterruptedException {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(id(++cases));
      engine.start(flow, ids.getLast(), START);
    }
    long begin = System.nanoTime();
    for (String id : ids) {
      engine.signal(id, "go", Map.of());
    }
    return (System.nanoTime() - begin) / (double) count;
  }

  /// Both threads wait as ours do, with a lock and a condition; a queue that spins is faster.
  private static double handOver() throws InterruptedException {
    BlockingQueue<Integer> there = new ArrayBlockingQueue<>(1);
    BlockingQueue<Integer> back = new ArrayBlockingQueue<>(1);
    int count = 5_000;
    Thread other =
        new Thread(() -> {
          try {
            for (int i = 0; i < count; i++) {
              back.put(there.take());
            }
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    other.start();
    long begin = System.nanoTime();
    for (int i = 0; i < count; i++) {
      there.put(i);
      back.take();
    }
    double nanos = (System.nanoTime() - begin) / (double) count;
    other.join();
    return nanos;
  }

  // many cases that wait

  private void waiting(int count) throws Exception {
    WorkflowDefinition flow = waits();
    Path store = folder.resolve("waiting");
    try (Engine engine = Engine.open(options(), store, flow)) {
      Semaphore room = new Semaphore(8_192);
      for (int i = 0; i < count; i++) {
        room.acquire();
        var _ = engine.startAsync(flow, "order-" + i, START).whenComplete((_, _) -> room.release());
        if (i % 100_000 == 99_999) {
          System.err.println(i + 1 + " cases started");
        }
      }
      room.acquire(8_192);
      System.gc();
      long used = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
      print("heap-" + count, used / (double) count, "bytes of heap per waiting case", "");
    }
    long begin = System.nanoTime();
    try (Engine engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "first", START);
      print("open-" + count, (System.nanoTime() - begin) / 1e9, "s to the first new case", "");
    }
  }

  private void print(String name, double value, String what, String rate) {
    System.out.printf(Locale.ROOT, "%-18s %8.3f  %s  %s%n", name, value, what, rate);
    json.add("\"%s\": %.4f".formatted(name, value));
  }

  static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(java.util.Comparator.reverseOrder())
          .forEach(path -> {
            try {
              Files.delete(path);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }
}
