package dev.damask.store.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.term.WorkflowDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/// Engines on one database, each with a pool of its own, as processes would have.
final class TestNodes implements AutoCloseable {
  static final Duration LEASE = Duration.ofMillis(1_500);

  private static final Duration PATIENCE = Duration.ofSeconds(3);

  /// How long a pool waits for a connection through a proxy, which may refuse all.
  private static final Duration CUT_PATIENCE = Duration.ofSeconds(1);

  private static final long TIMEOUT_NANOS = Duration.ofSeconds(50).toNanos();

  final PostgresOptions options;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<TcpProxy> proxies = new ArrayList<>();

  TestNodes() {
    this(TestServer.schema().withLease(LEASE));
  }

  TestNodes(PostgresOptions options) {
    this.options = options;
  }

  static EngineOptions engineOptions() {
    return EngineOptions.defaults().withShards(2).withGrace(Duration.ofMillis(200));
  }

  Engine open(WorkflowDefinition... workflows) {
    return open(engineOptions(), workflows);
  }

  Engine open(EngineOptions engine, WorkflowDefinition... workflows) {
    return open(engine, pool(TestServer.source(), PATIENCE), workflows);
  }

  Engine open(TcpProxy proxy, WorkflowDefinition... workflows) {
    return open(engineOptions(), proxy, workflows);
  }

  Engine open(EngineOptions engine, TcpProxy proxy, WorkflowDefinition... workflows) {
    return open(
        engine, pool(TestServer.through("localhost", proxy.port()), CUT_PATIENCE), workflows);
  }

  /// An engine whose database executes other statements than it was sent.
  Engine open(AlteredSource altered, WorkflowDefinition... workflows) {
    return open(engineOptions(), altered, workflows);
  }

  Engine open(EngineOptions engine, AlteredSource altered, WorkflowDefinition... workflows) {
    return open(engine, pool(altered, PATIENCE), workflows);
  }

  private Engine open(EngineOptions engine, DataSource source, WorkflowDefinition... workflows) {
    Engine opened = Engine.open(engine, PostgresCluster.of(source, options), workflows);
    open.add(opened);
    return opened;
  }

  /// An engine that owns nothing.
  Engine client(WorkflowDefinition... workflows) {
    return client(options, workflows);
  }

  Engine client(PostgresOptions how, WorkflowDefinition... workflows) {
    PostgresCluster cluster =
        PostgresCluster.of(pool(TestServer.source(), PATIENCE), how).asClient();
    Engine opened = Engine.open(engineOptions(), cluster, workflows);
    open.add(opened);
    return opened;
  }

  /// A proxy that is closed after the engines: an engine that cannot reach its database waits for
  /// it when it closes.
  TcpProxy proxy() {
    TcpProxy proxy = new TcpProxy(TestServer.host(), TestServer.port());
    open.add(0, proxy);
    proxies.add(proxy);
    return proxy;
  }

  private DataSource pool(DataSource source, Duration patience) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(16);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(patience.toMillis());
    config.setInitializationFailTimeout(-1);
    HikariDataSource pool = new HikariDataSource(config);
    open.add(0, pool); // closed after the engines
    return pool;
  }

  List<String> query(String sql) {
    return TestServer.query(sql.replace("@.", options.schema() + "."));
  }

  void execute(String sql) {
    TestServer.execute(sql.replace("@.", options.schema() + "."));
  }

  /// The number of slots of each owner.
  Map<Integer, Integer> owners() {
    Map<Integer, Integer> owners = new TreeMap<>();
    for (String row : query("select owner, count(*) from @.slot group by owner")) {
      String[] parts = row.split(" ", 2);
      owners.put(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    }
    return owners;
  }

  /// Waits until so many nodes share the slots evenly.
  void awaitBalance(int nodes) {
    await(
        () -> {
          Map<Integer, Integer> owners = owners();
          return owners.size() == nodes
              && owners.values().stream().allMatch(count -> Math.abs(count - 4_096 / nodes) <= 1);
        },
        () -> "owners " + owners() + query("select id, fenced, joined from @.node"));
  }

  static void await(BooleanSupplier condition, java.util.function.Supplier<String> what) {
    long end = System.nanoTime() + TIMEOUT_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("not reached: " + what.get());
      }
      java.util.concurrent.locks.LockSupport.parkNanos(10_000_000);
    }
  }

  @Override
  public void close() {
    proxies.forEach(TcpProxy::thaw);
    for (int i = open.size() - 1; i >= 0; i--) {
      try {
        open.get(i).close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
