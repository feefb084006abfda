package dev.damask.store.postgres;

import dev.damask.clock.EngineClock;
import dev.damask.cluster.Slots;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectTransaction;
import dev.damask.nursery.ChildError;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.ErrorPolicy;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.nursery.ThreadKind;
import dev.damask.ops.TaskClaims;
import dev.damask.sql.NodePoll;
import dev.damask.sql.SqlText;
import dev.damask.sql.ThreadFailures;
import dev.damask.store.CommitBatch;
import dev.damask.store.JoinOutcome;
import dev.damask.store.StoreException;
import dev.damask.store.StoreImages;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// A store in a PostgreSQL database. The engine that opens it is one node of the cluster; for now
/// it must be the only one and owns all slots.
///
/// A database that is away stops nothing: commits wait and are repeated until the database is back.
/// The store fails when another node has taken over.
///
/// A case that kills its process is quarantined one death later than on RocksDB: the case that each
/// shard executes is recorded only in the first ten minutes after an engine died.
///
/// Not supported: several engines on one schema, and applying messages of the inbox. See
/// [PostgresCluster] for both.
public final class PostgresStore extends PostgresReading implements TaskClaims.Holder {
  private static final System.Logger LOG = System.getLogger(PostgresStore.class.getName());
  private static final long POLL_MILLIS = 500;
  private static final long OPENING_POLL_MILLIS = 50;

  private final PostgresNode node;
  private final SqlText sql;
  private final PostgresReads reads;
  private final CommitQueue commits;
  private final JoinedCommits joined;
  private final Probation probation;
  private final long epoch;
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final ThreadFailures failures = new ThreadFailures("the heartbeat"); // used by its thread
  private final Nursery nursery =
      Nursery.open(
          NurseryOptions.named("store")
              .withPolicy(ErrorPolicy.SUPERVISE)
              .withOnError(this::childFailed));

  private volatile @Nullable StoreException stopped; // null until a thread of the store has failed

  private PostgresStore(PostgresNode node, PostgresOptions options, boolean isAfterDeath)
      throws SQLException {
    this.node = node;
    this.sql = new SqlText(options.schema());
    this.reads = new PostgresReads(node.connections(), sql);
    this.commits = new CommitQueue(node, sql, false);
    this.joined = new JoinedCommits(node, commits, sql);
    this.probation = new Probation(node, sql, options.nanoTime(), isAfterDeath);
    this.epoch = node.epoch();
    nursery.launch(
        ChildOptions.named("store-writer").withThread(ThreadKind.PLATFORM),
        _ -> {
          while (commits.writeNext()) {
            // until the last entry
          }
        });
    nursery.launch(
        ChildOptions.named("store-heartbeat").withThread(ThreadKind.PLATFORM_DAEMON),
        _ -> {
          while (!closing.await(POLL_MILLIS, TimeUnit.MILLISECONDS) && beat()) {
            // until the store is closed or the node is fenced
          }
        });
  }

  /// A thread of the store has ended: nothing more is committed, and so the engine stops.
  private void childFailed(ChildError child) {
    LOG.log(System.Logger.Level.ERROR, child.child() + " failed", child.error());
    stopped = new StoreException(child.child() + " failed: " + child.error(), child.error());
  }

  /// Opens the store of a schema that [PostgresSchema#init] has created. If the engine before this
  /// one died, waits until its lease has passed. Throws [StoreException] if another node is alive,
  /// or if the server does not fit.
  public static PostgresStore open(DataSource source, PostgresOptions options) {
    PostgresNode node = PostgresNode.join(source, options);
    boolean isOpen = false;
    try {
      boolean isAfterDeath = awaitOwnership(node, options);
      PostgresStore store = new PostgresStore(node, options, isAfterDeath);
      isOpen = true;
      return store;
    } catch (SQLException e) {
      throw PostgresErrors.failure("schema " + options.schema() + ": cannot open", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("schema " + options.schema() + ": opening was interrupted", e);
    } finally {
      if (!isOpen) {
        leave(node);
        node.close();
      }
    }
  }

  /// Takes over from nodes that are dead until this node owns all slots. Returns whether there was
  /// a dead one.
  private static boolean awaitOwnership(PostgresNode node, PostgresOptions options)
      throws SQLException, InterruptedException {
    CountDownLatch pause = new CountDownLatch(1);
    Map<Integer, Long> first = Map.of();
    boolean isFirst = true;
    boolean isAfterDeath = false;
    while (node.slotCount() < Slots.COUNT) {
      Map<Integer, Long> counters = node.counters();
      if (isFirst) {
        first = counters;
        isFirst = false;
      }
      for (Map.Entry<Integer, Long> each : counters.entrySet()) {
        if (!each.getValue().equals(first.getOrDefault(each.getKey(), each.getValue()))) {
          throw new StoreException(
              "schema %s: node %d is alive; close that engine first"
                  .formatted(options.schema(), each.getKey()));
        }
      }
      NodePoll poll = node.poll(0);
      for (Map.Entry<Integer, Long> dead : poll.dead().entrySet()) {
        isAfterDeath |= node.takeOver(dead.getKey(), dead.getValue());
      }
      if (poll.hasOrphans()) {
        node.adopt();
      }
      pause.await(OPENING_POLL_MILLIS, TimeUnit.MILLISECONDS);
    }
    return isAfterDeath;
  }

  /// Polls once. Returns false if the node was fenced.
  private boolean beat() {
    try {
      NodePoll poll = node.poll(0);
      if (poll.isFenced()) {
        LOG.log(System.Logger.Level.ERROR, "node {0} was fenced; its commits fail", node.id());
        return false;
      }
    } catch (SQLException | StoreException e) {
      LOG.log(System.Logger.Level.WARNING, "node {0}: no heartbeat: {1}", node.id(), e);
    } catch (RuntimeException | Error e) { // without a heartbeat the node is lost
      failures.report(e);
    }
    return true;
  }

  private static void leave(PostgresNode node) {
    try {
      node.leave();
    } catch (SQLException | StoreException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node {0} could not leave; the next engine waits for its lease: {1}",
          node.id(),
          e);
    }
  }

  /// Returns a clock for the engine's timers: the database's time, carried on by the monotonic
  /// clock.
  public EngineClock clock() {
    return new EngineClock() {
      @Override
      public long millis() {
        return node.millis();
      }

      @Override
      public long nanosUntil(long millis) {
        return node.nanosUntil(millis);
      }

      @Override
      public void onJump(Runnable waker) {
        // A reading that is ahead makes timers at most half a second late.
      }
    };
  }

  /// Returns whether this node has raised its counter recently and was not fenced.
  public boolean mayWork() {
    return node.mayWork();
  }

  @Override
  public CompletableFuture<Void> commit(CommitBatch batch) {
    StoreException why = stopped;
    if (why != null) {
      return CompletableFuture.failedFuture(why);
    }
    return commits.commit(batch);
  }

  @Override
  public boolean joinsTransactions() {
    return true;
  }

  @Override
  public EffectTransaction begin(EffectCall call) {
    return joined.begin(call);
  }

  @Override
  public JoinOutcome commit(CommitBatch batch, EffectTransaction transaction) {
    return joined.commit(batch, transaction);
  }

  @Override
  public TaskClaims claims() {
    return new PostgresClaims(() -> reads);
  }

  @Override
  public StoreImages images() {
    requireOpen();
    return new PostgresImages(node, reads, sql);
  }

  @Override
  public long epoch() {
    return epoch;
  }

  /// Records the case only in the first ten minutes after an engine died, because a record costs a
  /// round trip.
  @Override
  public void moving(int shard, String caseId) {
    probation.set(shard, caseId);
  }

  @Override
  public List<String> suspects() {
    return probation.found();
  }

  @Override
  PostgresReads reads() {
    return reads;
  }

  @Override
  void requireOpen() {
    if (isClosed.get()) {
      throw new StoreException("the store is closed");
    }
  }

  @Override
  public void close() {
    if (!isClosed.compareAndSet(false, true)) {
      return;
    }
    commits.close();
    closing.countDown();
    nursery.seal();
    nursery.close();
    probation.close();
    leave(node);
    node.close();
  }
}
