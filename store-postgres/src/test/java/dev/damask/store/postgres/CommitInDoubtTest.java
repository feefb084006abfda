package dev.damask.store.postgres;

import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cluster.CommitId;
import dev.damask.cluster.DoubtVerdict;
import dev.damask.compile.Compiler;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.sql.CommitOutcome;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Connections that break at every moment of a commit, also between the server's commit and its
/// answer. A commit counts once: acknowledged if it happened, repeated if it did not.
@Timeout(120)
final class CommitInDoubtTest {
  private final TestCluster cluster = new TestCluster();
  private final TcpProxy proxy = new TcpProxy(TestServer.host(), TestServer.port());

  @AfterEach
  void close() {
    proxy.close();
    cluster.close();
  }

  private CommitOutcome insert(PostgresNode node, CommitId id) throws SQLException {
    try (Connection connection = node.connections().take()) {
      return node.commit(connection, node.epoch(), c -> insert(c, id));
    }
  }

  private boolean insert(Connection connection, CommitId id) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("insert into " + cluster.schema + ".done values (?)")) {
      statement.setLong(1, id.number());
      return statement.executeUpdate() == 1;
    }
  }

  private Set<CommitId> stored(Connection connection, CommitId id) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement("select 1 from " + cluster.schema + ".done where number = ?")) {
      query.setLong(1, id.number());
      return query.executeQuery().next() ? Set.of(id) : Set.of();
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_commit_that_is_cut_off_counts_once_at_whatever_message(TcpProxy.Cut cut)
      throws SQLException {
    TestServer.execute("create table " + cluster.schema + ".done (number int8)");
    PostgresNode node = cluster.join(TestServer.through("localhost", proxy.port()));
    int inDoubt = 0;
    int landed = 0;
    boolean hasCut = true;
    for (int message = 0; hasCut; message++) {
      CommitId id = node.nextCommit();
      Connection connection = node.connections().take();
      proxy.cutAt(message, cut);
      CommitOutcome outcome = node.commit(connection, node.epoch(), c -> insert(c, id));
      hasCut = proxy.hasCut();
      proxy.cutAt(-1, cut);
      connection.close();
      if (outcome instanceof CommitOutcome.InDoubt) {
        inDoubt++;
        PostgresNode.Settled settled = node.settle(List.of(id), c -> stored(c, id));
        DoubtVerdict verdict = DoubtVerdict.of(id, settled.isFenced(), settled.stored());
        landed += verdict == DoubtVerdict.ACKNOWLEDGE ? 1 : 0;
        if (verdict == DoubtVerdict.REPEAT) {
          assertThat(insert(node, id)).isInstanceOf(CommitOutcome.Done.class);
        }
      } else if (outcome instanceof CommitOutcome.Failed(var error, var isTransient)) {
        assertThat(isTransient).as("%s", error).isTrue();
        assertThat(insert(node, id)).isInstanceOf(CommitOutcome.Done.class);
      }
      assertThat(TestServer.query("select count(*) from " + cluster.schema + ".done"))
          .as("%s at message %d", cut, message)
          .containsExactly(String.valueOf(id.number()));
    }
    assertThat(inDoubt).isPositive();
    assertThat(landed).isBetween(1, cut == TcpProxy.Cut.BEFORE_REQUEST ? inDoubt - 1 : inDoubt);
  }

  @Test
  void without_the_resolver_a_commit_taken_for_failed_counts_twice() throws SQLException {
    TestServer.execute("create table " + cluster.schema + ".done (number int8)");
    PostgresNode node = cluster.join(TestServer.through("localhost", proxy.port()));
    boolean isTwice = false;
    boolean hasCut = true;
    for (int message = 0; hasCut; message++) {
      CommitId id = node.nextCommit();
      Connection connection = node.connections().take();
      proxy.cutAt(message, TcpProxy.Cut.BEFORE_ANSWER);
      CommitOutcome outcome = node.commit(connection, node.epoch(), c -> insert(c, id));
      hasCut = proxy.hasCut();
      proxy.cutAt(-1, TcpProxy.Cut.BEFORE_ANSWER);
      connection.close();
      if (!(outcome instanceof CommitOutcome.Done)) {
        insert(node, id);
      }
      isTwice |=
          !TestServer.query("select count(*) from " + cluster.schema + ".done")
              .contains(String.valueOf(id.number()));
    }
    assertThat(isTwice).isTrue();
  }

  @Test
  void a_commit_in_progress_cannot_land_after_it_was_settled() throws Exception {
    TestServer.execute("create table " + cluster.schema + ".done (number int8)");
    PostgresNode node = cluster.join();
    CommitId id = node.nextCommit();
    long old = node.epoch();
    try (Connection travelling = node.connections().take()) {
      PostgresNode.Settled settled = node.settle(List.of(id), c -> stored(c, id));

      assertThat(DoubtVerdict.of(id, settled.isFenced(), settled.stored()))
          .isEqualTo(DoubtVerdict.REPEAT);
      assertThat(node.commit(travelling, old, c -> insert(c, id)))
          .isInstanceOf(CommitOutcome.Refused.class);
      assertThat(node.epoch()).isEqualTo(old + 1);
    }
  }

  @Test
  void a_fenced_node_repeats_nothing() throws SQLException {
    TestServer.execute("create table " + cluster.schema + ".done (number int8)");
    PostgresNode node = cluster.join();
    CommitId lost = node.nextCommit();
    CommitId landed = node.nextCommit();
    insert(node, landed);
    TestServer.execute("update " + cluster.schema + ".node set fenced = true");

    PostgresNode.Settled settled = node.settle(List.of(lost, landed), c -> stored(c, landed));

    assertThat(settled.isFenced()).isTrue();
    assertThat(DoubtVerdict.of(lost, true, settled.stored())).isEqualTo(DoubtVerdict.FORWARD);
    assertThat(DoubtVerdict.of(landed, true, settled.stored())).isEqualTo(DoubtVerdict.ACKNOWLEDGE);
    assertThat(node.mayWork()).isFalse();
  }

  /// The next owner replaces the rows of a commit soon; the commit's own number stays.
  @Test
  void a_commit_of_a_fenced_node_is_known_after_the_next_owner_has_replaced_its_rows()
      throws SQLException {
    TestServer.execute("create table " + cluster.schema + ".done (number int8)");
    PostgresNode node = cluster.join();
    CommitId landed = node.nextCommit();
    try (Connection connection = node.connections().take()) {
      node.commit(connection, landed, node.epoch(), c -> insert(c, landed));
    }
    CommitId lost = node.nextCommit();
    TestServer.execute("update " + cluster.schema + ".node set fenced = true");
    TestServer.execute("delete from " + cluster.schema + ".done");

    PostgresNode.Settled settled =
        node.settle(
            List.of(landed, lost), c -> node.hasCommitted(c, landed) ? Set.of(landed) : Set.of());

    assertThat(DoubtVerdict.of(landed, true, settled.stored())).isEqualTo(DoubtVerdict.ACKNOWLEDGE);
    assertThat(DoubtVerdict.of(lost, true, settled.stored())).isEqualTo(DoubtVerdict.FORWARD);
    try (Connection connection = node.connections().take()) {
      assertThat(node.hasCommitted(connection, lost)).isFalse();
    }
  }

  private void awaitEnd(PostgresNode node) throws SQLException {
    try (Connection connection = TestServer.source().getConnection()) {
      connection.setAutoCommit(false);
      cluster.locks().lockNode(connection, node.id());
    }
  }

  /// A hand-over whose answer was lost: the resolver's epoch and slots replace what the node
  /// believed.
  @Test
  void a_hand_over_in_doubt_is_settled_with_the_slots_of_the_database() throws SQLException {
    PostgresNode node = cluster.join(TestServer.through("localhost", proxy.port()));
    cluster.join();
    boolean hasLost = false;
    for (int message = 0; !hasLost; message++) {
      node.adopt(); // on a new connection, whose messages are not to be cut
      proxy.cutAt(message, TcpProxy.Cut.BEFORE_ANSWER);
      try {
        node.handOver(TestCluster.ALL);
        break;
      } catch (SQLException e) {
        awaitEnd(node); // the server may still be at it
        hasLost = cluster.owners().size() == 2;
      } finally {
        proxy.cutAt(-1, TcpProxy.Cut.BEFORE_ANSWER);
      }
    }
    assertThat(hasLost).isTrue();
    assertThat(node.slotCount()).isEqualTo(4096); // what it believes is wrong
    long believed = node.epoch();

    node.settle(List.of(), _ -> Set.of());

    assertThat(node.slotCount()).isEqualTo(2048);
    assertThat(node.epoch()).isEqualTo(believed + 2);
  }

  private static byte[] state() {
    Program program = Compiler.compile(workflow("empty", skip()));
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    return StateCodec.encode(machine.start(Context.empty(), 0));
  }

  private static CommitBatch batch(String caseId, long revision, long epoch, byte[] state) {
    CaseRecord record =
        CaseRecord.of(caseId, revision, epoch, CaseStatus.WAITING, "empty")
            .withTimes(5, 6, CaseRecord.NEVER)
            .withState(state);
    CaseCommit commit =
        new CaseCommit(record, List.of(), List.of(), List.of(), List.of(), List.of(), new byte[0]);
    TableRow row = new TableRow("log", caseId, revision, Bytes.of(), "r" + revision);
    return new CommitBatch(List.of(commit), List.of(), List.of(), List.of(new RowChange.Put(row)));
  }

  @ParameterizedTest
  @EnumSource
  void the_store_survives_a_cut_at_every_message(TcpProxy.Cut cut) {
    byte[] state = state();
    PostgresOptions options = TestServer.schema();
    try (PostgresStore store =
        PostgresStore.open(TestServer.through("localhost", proxy.port()), options)) {
      long revision = 0;
      boolean hasCut = true;
      for (int message = 0; hasCut; message += 3) {
        assertThat(store.commit(batch("one", ++revision, store.epoch(), state)))
            .succeedsWithin(Duration.ofSeconds(20));
        proxy.cutAt(message, cut);
        assertThat(store.commit(batch("one", ++revision, store.epoch(), state)))
            .as("%s at message %d", cut, message)
            .succeedsWithin(Duration.ofSeconds(20));
        hasCut = proxy.hasCut() && message < 60;
        proxy.cutAt(-1, cut);
        assertThat(store.record("one").orElseThrow().revision()).isEqualTo(revision);
        assertThat(store.table().versions("log", "one", 999)).hasSize((int) revision);
      }
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void a_database_that_is_away_for_a_while_delays_commits_and_fails_none() {
    byte[] state = state();
    PostgresOptions options = TestServer.schema();
    boolean[] isAway = {false};
    AlteredSource source =
        new AlteredSource(
            TestServer.source(),
            sql -> isAway[0] ? "select pg_terminate_backend(pg_backend_pid())" : sql);
    try (PostgresStore store = PostgresStore.open(source, options)) {
      isAway[0] = true;
      var done = store.commit(batch("one", 1, store.epoch(), state));
      assertThat(done)
          .failsWithin(Duration.ofMillis(300))
          .withThrowableOfType(java.util.concurrent.TimeoutException.class);

      isAway[0] = false;

      assertThat(done).succeedsWithin(Duration.ofSeconds(20));
      assertThat(store.record("one")).isPresent();
    }
  }
}
