package dev.damask.store.postgres;

import dev.damask.cluster.Slots;
import dev.damask.sql.NodePoll;
import dev.damask.sql.SqlText;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import javax.sql.DataSource;

/// Several nodes in one JVM on a real server, with one virtual monotonic clock.
final class TestCluster implements AutoCloseable {
  /// All slots.
  static final BitSet ALL = new BitSet();

  static {
    ALL.set(0, Slots.COUNT);
  }

  static final Duration LEASE = Duration.ofSeconds(6);
  static final Duration POLL = Duration.ofMillis(500);

  final PostgresOptions options;
  final String schema;
  private final List<PostgresNode> nodes = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicLong nanos = new AtomicLong();

  TestCluster() {
    this.options =
        TestServer.schema().withLease(LEASE).withNanoTime(nanos::get).withAddress("test");
    this.schema = options.schema();
  }

  PostgresNode join() {
    return join(TestServer.source());
  }

  PostgresNode join(DataSource source) {
    PostgresNode node = PostgresNode.join(source, options);
    nodes.add(node);
    return node;
  }

  void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  /// Lets the lease pass while these nodes poll; returns what the last poll of the first one found.
  NodePoll passLease(PostgresNode... polling) throws SQLException {
    NodePoll last = null;
    for (Duration passed = Duration.ZERO;
        passed.compareTo(LEASE.plus(POLL)) <= 0;
        passed = passed.plus(POLL)) {
      pass(POLL);
      for (int i = polling.length - 1; i >= 0; i--) {
        last = polling[i].poll(10);
      }
    }
    if (last == null) {
      throw new IllegalArgumentException("no node polls");
    }
    return last;
  }

  /// The number of slots of each owner in the database.
  Map<Integer, Integer> owners() {
    Map<Integer, Integer> counts = new TreeMap<>();
    for (String row :
        TestServer.query("select owner, count(*) from " + schema + ".slot group by owner")) {
      String[] parts = row.split(" ", 2);
      counts.put(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    }
    return counts;
  }

  NodeLocks locks() {
    return new NodeLocks(
        new SqlText(schema),
        Integer.parseInt(TestServer.query("select class from " + schema + ".cluster").get(0)));
  }

  /// Runs something in another thread.
  <T> CompletableFuture<T> inThread(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, threads);
  }

  /// Waits until a backend waits for a lock of this database.
  static void awaitWaiting(int backends) {
    String query =
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
            + " and datname = current_database()";
    while (Integer.parseInt(TestServer.query(query).get(0)) < backends) {
      LockSupport.parkNanos(100_000);
    }
  }

  /// A case whose slot a node owns.
  static String caseOf(PostgresNode node) {
    for (int i = 0; i < 100 * Slots.COUNT; i++) {
      if (node.owns("case-" + i)) {
        return "case-" + i;
      }
    }
    throw new IllegalStateException("node " + node.id() + " owns nothing");
  }

  @Override
  public void close() {
    nodes.forEach(PostgresNode::close);
    threads.close();
  }
}
