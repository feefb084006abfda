package dev.damask.benchmarks;

import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.workflow;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.server.DamaskServer;
import dev.damask.server.ServerOptions;
import dev.damask.server.Tokens;
import dev.damask.store.rocksdb.RocksStore;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Prints what a server costs, on RocksDB with a sync per commit: requests against calls in the
/// same process, signals with and without open streams, lists and past states.
///
/// Arguments: the names of the measurements, `start`, `signal`, `streams`, `list`, `state`; all of
/// them without arguments. `-Ddamask.streams=2000` sets the number of streams, of which half never
/// read, and `-Ddamask.cases=1000000` the number of cases in the list. Streams need as many open
/// files twice over: raise `ulimit -n`.
public final class ServerFigures {
  private static final long ROUND_NANOS = Long.getLong("damask.seconds", 5) * 1_000_000_000L;
  private static final int THREADS = 16;
  private static final int ROUNDS = 3;

  private static final WorkflowDefinition WAITING =
      workflow("waiting", take("end")).withPlaces(Place.external("end"), Place.external("more"));

  private final Path folder;
  private int stores;

  private ServerFigures(Path folder) {
    this.folder = folder;
  }

  /// Runs the measurements that are named, or all.
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory(Path.of("."), "damask-server");
    try {
      ServerFigures figures = new ServerFigures(folder);
      String[] all = {"start", "signal", "streams", "list", "state"};
      for (String name : arguments.length == 0 ? all : arguments) {
        figures.measure(name);
      }
    } finally {
      EngineFigures.delete(folder);
    }
  }

  /// An engine on a new store with a server.
  private static final class Served implements AutoCloseable {
    final Engine engine;
    final DamaskServer server;
    final String token;

    Served(RocksStore store) {
      this.engine = Engine.open(EngineOptions.defaults(), store, WAITING);
      Tokens tokens = new Tokens(Clock.systemUTC());
      this.token = tokens.issue(Caller.of("load", Role.ADMIN));
      this.server =
          DamaskServer.start(
              engine,
              ServerOptions.defaults()
                  .withPort(0)
                  .withTokens(tokens)
                  .withLimits(new ServerOptions.Limits(0, 10_000, 10_000)));
    }

    LoadConnection connect() throws IOException {
      return new LoadConnection(server.port(), token);
    }

    @Override
    public void close() {
      server.close();
      engine.close();
    }
  }

  private RocksStore store() {
    return RocksStore.open(folder.resolve("store" + stores++));
  }

  private void measure(String name) throws Exception {
    switch (name) {
      case "start" -> start();
      case "signal" -> signal();
      case "streams" -> streams();
      case "list" -> list();
      case "state" -> state();
      default -> throw new IllegalArgumentException("unknown measurement " + name);
    }
  }

  /// Something that a thread does again and again.
  private interface Work {
    void run(int thread, long number) throws IOException;
  }

  /// Runs work on some threads for a round; returns the nanoseconds of each run, sorted.
  private static long[] round(int threads, Work work)
      throws InterruptedException, ExecutionException {
    List<Future<long[]>> all = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      long end = System.nanoTime() + ROUND_NANOS;
      for (int i = 0; i < threads; i++) {
        int thread = i;
        all.add(pool.submit(() -> timed(thread, end, work)));
      }
    }
    long[] times = new long[0];
    for (Future<long[]> each : all) {
      long[] more = each.get();
      int before = times.length;
      times = Arrays.copyOf(times, before + more.length);
      System.arraycopy(more, 0, times, before, more.length);
    }
    Arrays.sort(times);
    return times;
  }

  private static long[] timed(int thread, long end, Work work) throws IOException {
    long[] times = new long[1_024];
    int count = 0;
    for (long begin = System.nanoTime(); begin < end; begin = System.nanoTime()) {
      work.run(thread, count);
      if (count == times.length) {
        times = Arrays.copyOf(times, 2 * count);
      }
      times[count++] = System.nanoTime() - begin;
    }
    return Arrays.copyOf(times, count);
  }

  private static double rate(long[] times) {
    return times.length * 1e9 / ROUND_NANOS;
  }

  private static double millis(long[] times, double share) {
    return times.length == 0
        ? 0
        : times[(int) Math.min(times.length - 1, times.length * share)] / 1e6;
  }

  private void start() throws Exception {
    try (Served served = new Served(store())) {
      LoadConnection[] lines = new LoadConnection[THREADS];
      for (int i = 0; i < THREADS; i++) {
        lines[i] = served.connect();
      }
      for (int round = 0; round < ROUNDS; round++) {
        String mark = "r" + round + "-";
        long[] own =
            round(
                THREADS,
                (thread, number) ->
                    served.engine.start(
                        WAITING, mark + "e" + thread + "-" + number, Context.empty()));
        long[] http =
            round(
                THREADS,
                (thread, number) ->
                    lines[thread].send(
                        "POST",
                        "/v1/cases",
                        "{\"workflow\":\"waiting\",\"id\":\"%sh%d-%d\"}"
                            .formatted(mark, thread, number)));
        System.out.printf(
            "start: Engine.start %.0f/s, HTTP %.0f/s, ratio %.2f (at least 0.5); %d threads%n",
            rate(own), rate(http), rate(http) / rate(own), THREADS);
      }
      for (LoadConnection each : lines) {
        each.close();
      }
    }
  }

  private void signal() throws Exception {
    try (Served served = new Served(store());
        LoadConnection line = served.connect()) {
      cases(served, 100);
      for (int round = 0; round < ROUNDS; round++) {
        long[] own =
            round(1, (_, number) -> served.engine.signal("c" + number % 100, "more", Map.of()));
        long[] http = round(1, (_, number) -> signal(line, number % 100));
        System.out.printf(
            "signal: p50 in process %.3f ms, HTTP %.3f ms, ratio %.2f (at most 3)%n",
            millis(own, 0.5), millis(http, 0.5), millis(http, 0.5) / millis(own, 0.5));
      }
    }
  }

  private static void cases(Served served, int count) {
    for (int i = 0; i < count; i++) {
      served.engine.start(WAITING, "c" + i, Context.empty());
    }
  }

  private static void signal(LoadConnection line, long number) throws IOException {
    line.send("POST", "/v1/cases/c" + number + "/signal", "{\"place\":\"more\",\"payload\":{}}");
  }

  private void streams() throws Exception {
    int count = Integer.getInteger("damask.streams", 2_000);
    try (Served served = new Served(store());
        ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      cases(served, 1_000);
      LoadConnection[] lines = new LoadConnection[THREADS];
      for (int i = 0; i < THREADS; i++) {
        lines[i] = served.connect();
      }
      Work work = (thread, number) -> signal(lines[thread], (thread * 61L + number * 17) % 1_000);
      for (int round = 0; round < ROUNDS; round++) {
        long[] without = round(THREADS, work);
        List<LoadConnection> open = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          LoadConnection stream = served.connect();
          stream.stream(i % 4 < 2 ? "/v1/cases/c" + i % 1_000 + "/events" : "/v1/events");
          open.add(stream);
          if (i % 2 == 0) { // the others never read
            readers.execute(() -> readAll(stream));
          }
        }
        long[] with = round(THREADS, work);
        for (LoadConnection each : open) {
          each.close();
        }
        System.out.printf(
            "streams: %d open; signals %.0f/s and p99 %.2f ms without, %.0f/s and p99 %.2f ms with;"
                + " rate %.2f (at least 0.97), p99 %.2f (at most 1.2)%n",
            count,
            rate(without),
            millis(without, 0.99),
            rate(with),
            millis(with, 0.99),
            rate(with) / rate(without),
            millis(with, 0.99) / millis(without, 0.99));
      }
      for (LoadConnection each : lines) {
        each.close();
      }
    }
  }

  private static void readAll(LoadConnection stream) {
    try {
      while (true) {
        stream.line();
      }
    } catch (IOException e) {
      return; // the round is over
    }
  }

  private void list() throws Exception {
    int count = Integer.getInteger("damask.cases", 1_000_000);
    try (Served served = new Served(store());
        LoadConnection line = served.connect()) {
      try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
        for (int i = 0; i < THREADS; i++) {
          int first = i;
          pool.execute(() -> {
            for (int each = first; each < count; each += THREADS) {
              served.engine.start(WAITING, "c" + each, Context.empty());
            }
          });
        }
      }
      for (String query : List.of("limit=50", "limit=50&counts=false", "limit=50&text=c77")) {
        long[] times = round(1, (_, _) -> line.send("GET", "/v1/cases?" + query, ""));
        System.out.printf(
            "list: %s of %,d cases: p50 %.2f ms, p99 %.2f ms (at most 20)%n",
            query, count, millis(times, 0.5), millis(times, 0.99));
      }
    }
  }

  private void state() throws Exception {
    int inputs = 10_000;
    try (Served served = new Served(store());
        LoadConnection line = served.connect()) {
      served.engine.start(WAITING, "long", Context.empty());
      for (int i = 0; i < inputs; i++) {
        served.engine.signal("long", "more", Map.of("n", i));
      }
      Random random = new Random(7);
      long[] times =
          round(
              1,
              (_, _) -> line.send("GET", "/v1/cases/long/at/" + (1 + random.nextInt(inputs)), ""));
      System.out.printf(
          "state at a position of %,d inputs: p50 %.2f ms, p99 %.2f ms" + " (at most 50)%n",
          inputs, millis(times, 0.5), millis(times, 0.99));
    }
  }
}
