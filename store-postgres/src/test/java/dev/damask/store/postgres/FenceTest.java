package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.sql.CommitOutcome;
import dev.damask.sql.NodePoll;
import dev.damask.sql.SqlText;
import dev.damask.store.postgres.FencedCommit.SqlFunction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The fence and the locks. Each rule is tested, and then tested again on a node that lacks it, to
/// show what the rule prevents.
@Timeout(60)
final class FenceTest {
  private final TestCluster cluster = new TestCluster();

  @AfterEach
  void close() {
    cluster.close();
  }

  private static CommitOutcome commit(PostgresNode node, long epoch) {
    try (Connection connection = node.connections().take()) {
      return node.commit(connection, epoch, _ -> true);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// A commit that waits for the node's lock while the node is being taken over.
  private CommitOutcome commitDuringTakeover(DataSource source) throws Exception {
    PostgresNode node = cluster.join(source);
    NodeLocks locks = cluster.locks();
    try (Connection taker = TestServer.source().getConnection();
        Statement statement = taker.createStatement()) {
      taker.setAutoCommit(false);
      locks.beginExclusive(taker);
      locks.lockNode(taker, node.id());
      CompletableFuture<CommitOutcome> outcome = cluster.inThread(() -> commit(node, node.epoch()));
      TestCluster.awaitWaiting(1);
      statement.execute(
          "update " + cluster.schema + ".node set fenced = true where id = " + node.id());
      taker.commit();
      return outcome.get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void a_commit_that_waited_for_a_takeover_is_refused() throws Exception {
    assertThat(commitDuringTakeover(TestServer.source())).isInstanceOf(CommitOutcome.Refused.class);
  }

  @Test
  void a_pool_with_a_stronger_default_level_makes_no_difference() throws Exception {
    AlteredSource strong =
        new AlteredSource(TestServer.source(), UnaryOperator.identity()) {
          @Override
          public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            connection.setReadOnly(true);
            return connection;
          }
        };
    PostgresNode node = cluster.join(strong);
    assertThat(commit(node, node.epoch())).isInstanceOf(CommitOutcome.Done.class);

    assertThat(commitDuringTakeover(strong)).isInstanceOf(CommitOutcome.Refused.class);
  }

  @Test
  void without_read_committed_the_fence_passes_after_a_takeover() throws Exception {
    AlteredSource mutant =
        AlteredSource.replacing(TestServer.source(), "read committed", "repeatable read");

    assertThat(commitDuringTakeover(mutant)).isInstanceOf(CommitOutcome.Done.class);
    assertThat(mutant.changes()).isPositive();
  }

  @Test
  void with_lock_and_check_in_one_statement_the_fence_passes_after_a_takeover() throws Exception {
    AlteredSource mutant =
        AlteredSource.replacing(
            TestServer.source(),
            "pg_advisory_xact_lock_shared(?, ?); select 1 from",
            "1; select pg_advisory_xact_lock_shared(?, ?) from");

    assertThat(commitDuringTakeover(mutant)).isInstanceOf(CommitOutcome.Done.class);
    assertThat(mutant.changes()).isPositive();
  }

  @Test
  void a_commit_of_the_old_epoch_is_refused_after_a_hand_over() throws Exception {
    PostgresNode one = cluster.join();
    cluster.join();
    long old = one.epoch();
    one.handOver(TestCluster.ALL);

    assertThat(commit(one, old)).isInstanceOf(CommitOutcome.Refused.class);
    assertThat(commit(one, one.epoch())).isInstanceOf(CommitOutcome.Done.class);
  }

  @Test
  void without_a_new_epoch_a_travelling_commit_lands_after_the_hand_over() throws Exception {
    AlteredSource mutant =
        AlteredSource.replacing(TestServer.source(), "set epoch = epoch + 1", "set epoch = epoch");
    PostgresNode one = cluster.join(mutant);
    cluster.join();
    long old = one.epoch();
    one.handOver(TestCluster.ALL);

    assertThat(cluster.owners()).isEqualTo(Map.of(1, 2048, 2, 2048));
    assertThat(commit(one, old)).isInstanceOf(CommitOutcome.Done.class);
    assertThat(mutant.changes()).isPositive();
  }

  /// Two takeovers at once: node 4 takes over node 1 and gives it to node 2, node 3 takes over node
  /// 2 at the same time.
  private void twoTakeovers(boolean hasClusterLock) throws Exception {
    for (int i = 0; i < 4; i++) {
      cluster.join();
    }
    OwnershipChanges changes = new OwnershipChanges(new SqlText(cluster.schema));
    NodeLocks locks = cluster.locks();
    try (Connection one = TestServer.source().getConnection();
        Connection other = TestServer.source().getConnection()) {
      one.setAutoCommit(false);
      if (hasClusterLock) {
        locks.lockCluster(one);
      }
      locks.lockNode(one, 1);
      changes.takeOver(one, 4, 1, 0, 0);
      CompletableFuture<Boolean> second =
          cluster.inThread(() -> {
            try {
              other.setAutoCommit(false);
              if (hasClusterLock) {
                locks.lockCluster(other);
              }
              locks.lockNode(other, 2);
              boolean isTaken = changes.takeOver(other, 3, 2, 0, 0);
              other.commit();
              return isTaken;
            } catch (SQLException | NodeLocks.FencedException e) {
              throw new IllegalStateException(e);
            }
          });
      TestCluster.awaitWaiting(1);
      one.commit();
      assertThat(second.get(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void two_takeovers_at_once_leave_every_slot_with_a_living_owner() throws Exception {
    twoTakeovers(true);

    assertThat(cluster.owners()).containsOnlyKeys(3, 4);
  }

  @Test
  void without_the_clusters_lock_two_takeovers_leave_slots_with_a_fenced_owner() throws Exception {
    twoTakeovers(false);

    assertThat(TestServer.query("select id from " + cluster.schema + ".node where fenced"))
        .containsExactlyInAnyOrder("1", "2");
    assertThat(cluster.owners()).containsKey(2);
  }

  /// A transaction of a node that stands still inside it. Between pipelined messages the idle
  /// timeout is not armed, so it is turned off here.
  private static Connection paused(PostgresNode node, NodeLocks locks) throws Exception {
    Connection connection = node.connections().take();
    connection.setAutoCommit(false);
    locks.fence(connection, node.id(), node.epoch(), 0);
    try (Statement statement = connection.createStatement()) {
      statement.execute("set local idle_in_transaction_session_timeout = 0");
    }
    return connection;
  }

  @Test
  void a_node_paused_inside_a_transaction_does_not_block_its_takeover() throws Exception {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    try (Connection paused = paused(one, cluster.locks())) {
      NodePoll last = cluster.passLease(two);
      long before = System.nanoTime();

      assertThat(two.takeOver(one.id(), last.dead().getOrDefault(one.id(), -1L))).isTrue();

      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isBetween(Duration.ofMillis(900), Duration.ofSeconds(10));
      assertThat(FencedCommit.commit(paused)).isInstanceOf(CommitOutcome.InDoubt.class);
    }
    assertThat(cluster.owners()).containsOnlyKeys(two.id());
  }

  @Test
  void a_backend_that_is_not_registered_keeps_its_lock() throws Exception {
    PostgresNode one = cluster.join();
    NodeLocks locks = cluster.locks();
    try (Connection paused = paused(one, locks);
        Connection taker = TestServer.source().getConnection()) {
      TestServer.execute("delete from " + cluster.schema + ".backend");

      assertThat(locks.terminateHolders(taker, one.id())).isZero();
      assertThat(FencedCommit.commit(paused)).isInstanceOf(CommitOutcome.Done.class);
    }
  }

  @Test
  void the_idle_timeout_ends_a_transaction_that_was_left_open() throws Exception {
    PostgresNode one = cluster.join();
    NodeLocks locks = cluster.locks();
    try (Connection idle = one.connections().take();
        Connection taker = TestServer.source().getConnection()) {
      idle.setAutoCommit(false);
      locks.fence(idle, one.id(), one.epoch(), 0);
      taker.setAutoCommit(false);

      locks.lockNode(taker, one.id()); // no lock timeout here: it ends when the server ends `idle`

      assertThat(FencedCommit.commit(idle)).isInstanceOf(CommitOutcome.InDoubt.class);
    }
  }

  @Test
  void settings_of_a_commit_do_not_leak_to_the_next_borrower() throws Exception {
    PostgresNode one = cluster.join();
    try (Connection connection = one.connections().take();
        Statement statement = connection.createStatement()) {
      String settings =
          "select current_setting('idle_in_transaction_session_timeout'),"
              + " current_setting('statement_timeout'), current_setting('transaction_isolation')";
      statement.execute("set session statement_timeout = '47s'");
      one.commit(connection, one.epoch(), _ -> true);

      try (var row = statement.executeQuery(settings)) {
        row.next();
        assertThat(row.getString(1)).isEqualTo("0");
        assertThat(row.getString(2)).isEqualTo("47s");
        assertThat(row.getString(3)).isEqualTo("read committed");
      }
    }
  }

  /// A commit on a server whose synchronous standby is away. Ending its wait would show a change
  /// that no standby has.
  private CommitOutcome commitWithoutStandby(PostgresNode node, SqlFunction<Integer> terminate)
      throws Exception {
    try (Connection registered = node.connections().take();
        Connection taker = TestServer.source().getConnection()) {
      CompletableFuture<CommitOutcome> outcome;
      TestServer.execute("alter system set synchronous_standby_names = 'damask_missing_standby'");
      TestServer.execute("select pg_reload_conf()");
      try {
        while (TestServer.query("show synchronous_standby_names").get(0).isEmpty()) {
          LockSupport.parkNanos(100_000);
        }
        outcome =
            cluster.inThread(() ->
                node.commit(
                    registered,
                    node.epoch(),
                    c -> {
                      try (Statement statement = c.createStatement()) {
                        return statement.execute("create table " + cluster.schema + ".shown ()");
                      }
                    }));
        while (TestServer.query("select 1 from pg_stat_activity where wait_event = 'SyncRep'")
            .isEmpty()) {
          LockSupport.parkNanos(100_000);
        }
        assertThat(isShown()).isFalse();
        terminated = terminate.apply(taker);
        if (terminated > 0) {
          outcome.get(10, TimeUnit.SECONDS);
          assertThat(isShown()).isTrue(); // and no standby has it
        }
      } finally {
        TestServer.execute("alter system reset synchronous_standby_names");
        TestServer.execute("select pg_reload_conf()");
      }
      return outcome.get(10, TimeUnit.SECONDS);
    }
  }

  private int terminated = -1; // written by the test's thread

  private boolean isShown() {
    return TestServer.query("select to_regclass('" + cluster.schema + ".shown') is not null")
        .contains("t");
  }

  @Test
  void a_backend_that_waits_for_synchronous_replication_is_never_terminated() throws Exception {
    PostgresNode one = cluster.join();

    CommitOutcome outcome =
        commitWithoutStandby(one, taker -> cluster.locks().terminateHolders(taker, one.id()));

    assertThat(terminated).isZero();
    assertThat(outcome).isInstanceOf(CommitOutcome.Done.class);
  }

  @Test
  void without_that_rule_a_commit_is_shown_that_no_standby_has() throws Exception {
    PostgresNode one = cluster.join();
    String terminate =
        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted"
            + " and classid = %d and objid = %d".formatted(cluster.locks().lockClass(), one.id());

    CommitOutcome outcome =
        commitWithoutStandby(
            one,
            taker -> {
              try (Statement statement = taker.createStatement()) {
                statement.execute(terminate);
                return 1;
              }
            });

    assertThat(outcome).isInstanceOf(CommitOutcome.InDoubt.class);
  }
}
