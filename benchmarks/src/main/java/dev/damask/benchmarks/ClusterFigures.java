package dev.damask.benchmarks;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.TransactionalHandler;
import dev.damask.ops.Statistics;
import dev.damask.store.postgres.PostgresCluster;
import dev.damask.store.postgres.PostgresOptions;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Prints the figures of a cluster on PostgreSQL, as ratios of one run, and the constants of
/// `docs/scaling.md`.
///
/// Arguments: nothing for all figures but the long ones; `steps`, `alone`, `idle`, `signal`, `once`
/// or `bytes` for one of them; `waiting COUNT` for so many waiting cases; `bloat MINUTES` for a
/// steady rate over a time.
public final class ClusterFigures {
  private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int EFFECTS = 5;

  private final BenchServer server;

  private final WorkflowDefinition five =
      workflow(
          "five", seq(effect("ask"), effect("ask"), effect("ask"), effect("ask"), effect("ask")));
  private final WorkflowDefinition waits = workflow("waits", defer(on("go", skip())));

  private ClusterFigures(BenchServer server) {
    this.server = server;
  }

  public static void main(String[] arguments) throws Exception {
    List<String> words = Arrays.asList(arguments);
    String first = words.isEmpty() ? "" : words.getFirst();
    int count = words.size() > 1 ? Integer.parseInt(words.get(1)) : 0;
    try (BenchServer server = new BenchServer()) {
      ClusterFigures figures = new ClusterFigures(server);
      switch (first) {
        case "steps" -> figures.steps();
        case "alone" -> figures.alone();
        case "idle" -> figures.idle();
        case "signal" -> figures.signals();
        case "once" -> figures.once();
        case "bytes" -> figures.bytes();
        case "waiting" -> figures.waiting(count);
        case "bloat" -> figures.bloat(count);
        default -> {
          figures.steps();
          figures.alone();
          figures.once();
          figures.idle();
          figures.signals();
          figures.bytes();
        }
      }
    }
  }

  private static EngineOptions options() {
    return EngineOptions.defaults()
        .withShards(2)
        .withGrace(Duration.ofMillis(100))
        .withHandler("ask", _ -> Map.of("n", 1));
  }

  private Engine node(PostgresOptions schema, WorkflowDefinition... workflows) {
    return Engine.open(options(), PostgresCluster.of(server.pool(), schema), workflows);
  }

  @SuppressWarnings("AnnotateFormatMethod") // the formats stand at the calls
  private static void print(String what, String format, Object... values) {
    System.out.println(what + ": " + String.format(java.util.Locale.ROOT, format, values));
  }

  /// Runs cases of five effects with a number of callers and returns the steps per second.
  private double run(Engine engine, String prefix, int callers, long nanos) throws Exception {
    Semaphore open = new Semaphore(callers);
    AtomicLong ended = new AtomicLong();
    long begin = System.nanoTime();
    int number = 0;
    while (System.nanoTime() - begin < nanos) {
      open.acquire();
      String id = prefix + number++;
      Thread.ofVirtual()
          .start(() -> {
            try {
              engine.start(five, id, Context.empty());
              engine.await(id);
              ended.incrementAndGet();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            } finally {
              open.release();
            }
          });
    }
    open.acquire(callers);
    return EFFECTS * ended.get() * 1e9 / (System.nanoTime() - begin);
  }

  /// Durable steps per second against the rate of a bare loop on the same server.
  private void steps() throws Exception {
    for (int callers : new int[] {16, 1_000}) {
      PostgresOptions schema = server.schema();
      try (Engine engine = node(schema, five)) {
        run(engine, "warm-", callers, TURN_NANOS);
        Statistics before = engine.statistics();
        double rate = run(engine, "case-", callers, TURN_NANOS);
        Statistics after = engine.statistics();
        long batches = Math.max(1, after.batches() - before.batches());
        int size = (int) Math.max(1, (after.commits() - before.commits()) / batches);
        BareRows rows = new BareRows(server, "bare_" + callers);
        rows.perSecond(size, TURN_NANOS / 5);
        double bare = rows.perSecond(size, TURN_NANOS);
        print(
            "steps, " + callers + " callers",
            "%.0f per second, bare rows in batches of %d: %.0f per second, ratio %.2f",
            rate,
            size,
            bare,
            rate / bare);
      }
    }
  }

  /// Transactions per effect step of one case after another.
  private void alone() throws Exception {
    PostgresOptions schema = server.schema();
    try (Engine engine = node(schema, five)) {
      run(engine, "warm-", 1, TURN_NANOS / 5);
      long idleBefore = settledTransactions();
      pause(TURN_NANOS);
      double idle = (settledTransactions() - idleBefore) / (TURN_NANOS / 1e9 + 2);
      long before = settledTransactions();
      long begin = System.nanoTime();
      double rate = run(engine, "case-", 1, TURN_NANOS);
      double seconds = (System.nanoTime() - begin) / 1e9;
      double used = settledTransactions() - before - idle * (seconds + 2);
      print(
          "one effect step alone",
          "%.2f transactions, %.0f steps per second with one caller",
          used / (rate * seconds),
          rate);
    }
  }

  /// Steps in the transaction of their case.
  private void once() throws Exception {
    PostgresOptions schema = server.schema();
    server.execute("create table " + schema.schema() + ".paid (case_id text)");
    TransactionalHandler pays =
        (call, given) -> {
          try (Statement insert = ((Connection) given).createStatement()) {
            insert.execute(
                "insert into " + schema.schema() + ".paid values ('" + call.caseId() + "')");
          }
          return Map.of();
        };
    WorkflowDefinition pay = workflow("pay", effect("pay").exactlyOnce());
    EngineOptions paying = options().withHandler("pay", pays).withCallsMax("pay", 12);
    try (Engine engine = Engine.open(paying, PostgresCluster.of(server.pool(), schema), pay)) {
      long begin = System.nanoTime();
      int count = 0;
      List<String> ids = new ArrayList<>();
      while (System.nanoTime() - begin < TURN_NANOS) {
        String id = "case-" + count++;
        ids.add(id);
        engine.start(pay, id, Context.empty());
      }
      for (String id : ids) {
        engine.await(id);
      }
      double rate = count * 1e9 / (System.nanoTime() - begin);
      print("steps in the transaction of their case", "%.0f per second, one caller", rate);
    }
  }

  private long settledTransactions() throws SQLException {
    pause(TimeUnit.SECONDS.toNanos(1));
    return server.transactions();
  }

  private static void pause(long nanos) {
    try {
      boolean _ = new CountDownLatch(1).await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Transactions per second of three nodes that have nothing to do.
  private void idle() throws Exception {
    PostgresOptions schema = server.schema();
    try (Engine _ = node(schema, waits);
        Engine _ = node(schema, waits);
        Engine _ = node(schema, waits)) {
      pause(2 * TURN_NANOS); // until the slots are shared and the polls are slow
      long before = settledTransactions();
      pause(2 * TURN_NANOS);
      double rate = (settledTransactions() - before) * 1e9 / (2 * TURN_NANOS + 1e9);
      print("idle, three nodes", "%.1f transactions per second", rate);
    }
  }

  /// Signals from one node to cases of another one.
  private void signals() throws Exception {
    PostgresOptions schema = server.schema();
    int count = 200;
    try (Engine one = node(schema, waits)) {
      for (int i = 0; i < count; i++) {
        one.start(waits, "case-" + i, Context.empty());
      }
      try (Engine client =
          Engine.open(options(), PostgresCluster.of(server.pool(), schema).asClient(), waits)) {
        long[] nanos = new long[count];
        for (int i = 0; i < count; i++) {
          long begin = System.nanoTime();
          client.signal("case-" + i, "go", Map.of());
          nanos[i] = System.nanoTime() - begin;
        }
        Arrays.sort(nanos);
        double commit = commitNanos();
        print(
            "signal to a case of another node",
            "p50 %.1f ms, p99 %.1f ms, one commit %.2f ms, p50 is %.1f commits",
            nanos[count / 2] / 1e6,
            nanos[count * 99 / 100] / 1e6,
            commit / 1e6,
            nanos[count / 2] / commit);
      }
    }
  }

  private double commitNanos() throws SQLException {
    server.execute("create table if not exists commit_time (n int)");
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      long[] nanos = new long[200];
      for (int i = 0; i < nanos.length; i++) {
        long begin = System.nanoTime();
        statement.execute("insert into commit_time values (1)");
        nanos[i] = System.nanoTime() - begin;
      }
      Arrays.sort(nanos);
      return nanos[nanos.length / 2];
    }
  }

  /// The constants of the sheet: bytes on disk and of write-ahead log.
  private void bytes() throws Exception {
    PostgresOptions schema = server.schema();
    try (Engine engine = node(schema, five, waits)) {
      long wal = server.walBytes();
      long disk = server.bytesOf(schema);
      int count = 2_000;
      List<CompletableFuture<?>> started = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        started.add(engine.startAsync(five, "five-" + i, Context.empty()));
      }
      started.forEach(CompletableFuture::join);
      for (int i = 0; i < count; i++) {
        engine.await("five-" + i);
      }
      print(
          "bytes of an effect step",
          "%d on disk, %d of write-ahead log",
          (server.bytesOf(schema) - disk) / ((long) count * EFFECTS),
          (server.walBytes() - wal) / ((long) count * EFFECTS));
      disk = server.bytesOf(schema);
      started.clear();
      for (int i = 0; i < count; i++) {
        started.add(engine.startAsync(waits, "wait-" + i, Context.of("order", "o-" + i)));
      }
      started.forEach(CompletableFuture::join);
      engine.signal("wait-" + (count - 1), "other", Map.of());
      print("bytes of a waiting case", "%d on disk", (server.bytesOf(schema) - disk) / count);
    }
  }

  /// How long opening takes with so many waiting cases, and what it reads.
  private void waiting(int count) throws Exception {
    PostgresOptions schema = server.schema();
    try (Engine engine = node(schema, waits)) {
      Semaphore open = new Semaphore(2_000);
      for (int i = 0; i < count; i++) {
        open.acquire();
        var _ =
            engine
                .startAsync(waits, "case-" + i, Context.empty())
                .whenComplete((_, _) -> open.release());
      }
      open.acquire(2_000);
    }
    long scanned = scanned(schema);
    long begin = System.nanoTime();
    try (Engine engine = node(schema, waits)) {
      double seconds = (System.nanoTime() - begin) / 1e9;
      pause(TURN_NANOS);
      print(
          "open with " + count + " waiting cases",
          "%.2f s, %d cases in memory, %d rows of cases read in sequential scans",
          seconds,
          engine.statistics().resident(),
          scanned(schema) - scanned);
    }
  }

  private long scanned(PostgresOptions schema) throws SQLException {
    return server.number(
        "select coalesce(sum(seq_tup_read), 0)::int8 from pg_stat_user_tables where schemaname = '"
            + schema.schema()
            + "' and relname in ('cases', 'due', 'bases', 'deltas')");
  }

  /// A steady rate: tables that are updated in place must not grow, and updates must be HOT.
  private void bloat(int minutes) throws Exception {
    PostgresOptions schema = server.schema();
    int cases = 500;
    WorkflowDefinition loop =
        workflow("loop", dev.damask.term.Flow.repeat(1_000_000, defer(on("go", skip()))));
    try (Engine engine = node(schema, loop)) {
      for (int i = 0; i < cases; i++) {
        engine.start(loop, "case-" + i, Context.empty());
      }
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
      long report = System.nanoTime();
      int signals = 0;
      for (; System.nanoTime() - end < 0; signals++) {
        if (System.nanoTime() - report > 0) {
          report += TimeUnit.MINUTES.toNanos(1);
          report(schema, signals);
        }
        engine.signal("case-" + signals % cases, "go", Map.of());
      }
      pause(TimeUnit.SECONDS.toNanos(1)); // the server's counters are late
      report(schema, signals);
    }
  }

  private void report(PostgresOptions schema, int signals) throws SQLException {
    print(
        "after " + signals + " signals",
        "cases %d KiB, due %d KiB, HOT updates %d of %d, dead rows %d",
        size(schema, "cases"),
        size(schema, "due"),
        statistic(schema, "n_tup_hot_upd"),
        statistic(schema, "n_tup_upd"),
        statistic(schema, "n_dead_tup"));
  }

  private long size(PostgresOptions schema, String table) throws SQLException {
    String name = schema.schema() + "." + table;
    return server.number("select pg_total_relation_size('" + name + "') / 1024");
  }

  private long statistic(PostgresOptions schema, String column) throws SQLException {
    return server.number(
        "select "
            + column
            + " from pg_stat_user_tables where relname = 'cases' and schemaname = '"
            + schema.schema()
            + "'");
  }
}
