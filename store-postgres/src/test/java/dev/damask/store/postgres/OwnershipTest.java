package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cluster.SlotPlan;
import dev.damask.cluster.Slots;
import dev.damask.sql.CommitOutcome;
import dev.damask.sql.NodePoll;
import dev.damask.sql.NodeState;
import dev.damask.sql.Roster;
import dev.damask.sql.SqlText;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Who owns what: joining, leaving, dying, and being thought dead.
@Timeout(60)
final class OwnershipTest {
  private final TestCluster cluster = new TestCluster();

  @AfterEach
  void close() {
    cluster.close();
  }

  private static CommitOutcome commit(PostgresNode node, long epoch) throws SQLException {
    try (Connection connection = node.connections().take()) {
      return node.commit(connection, epoch, _ -> true);
    }
  }

  @Test
  void the_first_node_owns_all_slots_and_gives_a_half_to_the_second() throws SQLException {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    assertThat(cluster.owners()).isEqualTo(Map.of(1, Slots.COUNT));
    long before = one.epoch();

    assertThat(one.handOver(TestCluster.ALL)).isTrue();
    assertThat(two.poll(0).hasNewSlots()).isTrue();

    assertThat(cluster.owners()).isEqualTo(Map.of(1, 2048, 2, 2048));
    assertThat(one.slotCount()).isEqualTo(2048);
    assertThat(two.slotCount()).isEqualTo(2048);
    assertThat(one.owns(TestCluster.caseOf(two))).isFalse();
    assertThat(one.epoch()).isEqualTo(before + 1);
    assertThat(one.handOver(TestCluster.ALL)).isFalse();
    assertThat(one.epoch()).isEqualTo(before + 1);
  }

  @Test
  void a_node_that_leaves_gives_everything_away_and_its_id_is_never_used_again() throws Exception {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    long epoch = one.epoch();

    one.leave();

    assertThat(cluster.owners()).isEqualTo(Map.of(2, Slots.COUNT));
    assertThat(commit(one, epoch)).isInstanceOf(CommitOutcome.Refused.class);
    assertThat(one.poll(0).isFenced()).isTrue();
    two.leave();
    assertThat(cluster.owners()).isEqualTo(Map.of(0, Slots.COUNT));
    PostgresNode three = cluster.join();
    assertThat(three.id()).isEqualTo(3);
    assertThat(three.epoch()).isGreaterThan(two.epoch());
    assertThat(three.slotCount()).isEqualTo(Slots.COUNT);
  }

  @Test
  void a_node_that_leaves_keeps_its_slots_until_it_has_handed_them_over() throws Exception {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    one.handOver(TestCluster.ALL);
    assertThat(one.markLeaving()).isTrue();

    PostgresNode three = cluster.join();
    two.adopt();
    two.leave();

    assertThat(cluster.owners()).isEqualTo(Map.of(1, 2048, 3, 2048));
    assertThat(commit(one, one.epoch())).isInstanceOf(CommitOutcome.Done.class);
    long epoch = one.epoch();
    assertThat(one.handOver(TestCluster.ALL)).isTrue();
    assertThat(one.epoch()).isEqualTo(epoch + 1);
    assertThat(cluster.owners()).isEqualTo(Map.of(three.id(), Slots.COUNT));
  }

  @Test
  void nodes_that_all_leave_keep_their_slots_until_they_are_gone() throws Exception {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    one.handOver(TestCluster.ALL);
    assertThat(one.markLeaving()).isTrue();
    assertThat(two.markLeaving()).as("no other node gets slots").isFalse();

    PostgresNode three = cluster.join();
    assertThat(two.markLeaving()).isTrue();
    three.leave();

    assertThat(one.handOver(TestCluster.ALL)).isFalse();
    assertThat(cluster.owners()).isEqualTo(Map.of(1, 2048, 2, 2048));
    two.leave();
    one.leave();
    assertThat(cluster.owners()).isEqualTo(Map.of(SlotPlan.NO_NODE, Slots.COUNT));
    PostgresNode four = cluster.join();
    assertThat(four.slotCount()).isEqualTo(Slots.COUNT);
  }

  @Test
  void a_dead_node_is_taken_over_after_a_lease_and_its_commits_are_refused() throws Exception {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    one.handOver(TestCluster.ALL);
    assertThat(commit(one, one.epoch())).isInstanceOf(CommitOutcome.Done.class);

    NodePoll last = cluster.passLease(two);
    assertThat(last.dead()).containsOnlyKeys(one.id());
    assertThat(two.takeOver(one.id(), last.dead().getOrDefault(one.id(), -1L))).isTrue();

    assertThat(cluster.owners()).isEqualTo(Map.of(2, Slots.COUNT));
    assertThat(two.slotCount()).isEqualTo(Slots.COUNT);
    assertThat(commit(one, one.epoch())).isInstanceOf(CommitOutcome.Refused.class);
    assertThat(commit(two, two.epoch())).isInstanceOf(CommitOutcome.Done.class);
    assertThat(one.poll(0).isFenced()).isTrue();
    assertThat(one.mayWork()).isFalse();
  }

  @Test
  void a_node_that_raised_its_counter_meanwhile_is_not_taken_over() throws SQLException {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    NodePoll last = cluster.passLease(two);

    one.poll(0);

    assertThat(two.takeOver(one.id(), last.dead().getOrDefault(one.id(), -1L))).isFalse();
    assertThat(cluster.owners()).isEqualTo(Map.of(1, Slots.COUNT));
    assertThat(one.poll(0).isFenced()).isFalse();
  }

  @Test
  void a_fenced_node_takes_nothing_over() throws SQLException {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    PostgresNode three = cluster.join();
    NodePoll seen = cluster.passLease(two, three);
    assertThat(three.takeOver(2, counter(2))).isTrue();

    assertThat(two.takeOver(one.id(), seen.dead().getOrDefault(one.id(), -1L))).isFalse();

    assertThat(two.mayWork()).isFalse();
    assertThat(cluster.owners()).isEqualTo(Map.of(1, Slots.COUNT));
  }

  private long counter(int node) {
    return Long.parseLong(
        TestServer.query(
                "select counter from " + cluster.schema + ".heartbeat where node = " + node)
            .get(0));
  }

  /// Without the rule about gaps each of them would find two counters unchanged for 8 s.
  @Test
  void nodes_do_not_fence_each_other_after_the_database_was_away() throws SQLException {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    PostgresNode three = cluster.join();
    for (PostgresNode node : new PostgresNode[] {one, two, three}) {
      node.poll(0);
    }

    cluster.pass(Duration.ofSeconds(8));

    assertThat(one.mayWork()).isFalse();
    for (PostgresNode node : new PostgresNode[] {one, two, three}) {
      assertThat(node.poll(0).dead()).isEmpty();
      assertThat(node.mayWork()).isTrue();
    }
    assertThat(cluster.passLease(one, two, three).dead()).isEmpty();
  }

  @Test
  void a_node_that_cannot_raise_its_counter_stops_after_two_thirds_of_a_lease() throws Exception {
    boolean[] isAway = {false};
    AlteredSource source =
        new AlteredSource(
            TestServer.source(), sql -> isAway[0] ? "select damask_database_is_away()" : sql);
    PostgresNode node = cluster.join(source);
    node.poll(0);
    isAway[0] = true;

    cluster.pass(Duration.ofMillis(3_999));
    assertThatThrownBy(() -> node.poll(0)).isInstanceOf(SQLException.class);
    assertThat(node.mayWork()).isTrue();
    cluster.pass(Duration.ofMillis(1));
    assertThat(node.mayWork()).isFalse();

    isAway[0] = false;
    node.poll(0);
    assertThat(node.mayWork()).isTrue();
  }

  @Test
  void slots_whose_owner_is_fenced_or_gone_are_found_and_adopted() throws SQLException {
    PostgresNode one = cluster.join();
    PostgresNode two = cluster.join();
    one.handOver(TestCluster.ALL);
    assertThat(two.poll(0).hasOrphans()).isFalse();
    TestServer.execute("update " + cluster.schema + ".node set fenced = true where id = 1");

    assertThat(two.poll(0).hasOrphans()).isTrue();
    two.adopt();

    assertThat(cluster.owners()).isEqualTo(Map.of(2, Slots.COUNT));
    assertThat(two.slotCount()).isEqualTo(Slots.COUNT);
    assertThat(two.poll(0).hasOrphans()).isFalse();
  }

  /// A poll that was read before a hand-over and is processed after it must not bring the slots
  /// back: commits with the new epoch would pass the fence.
  @Test
  void an_older_reading_of_the_slots_never_replaces_a_newer_one() throws SQLException {
    PostgresNode one = cluster.join();
    cluster.join();
    NodeState stale;
    try (Connection connection = TestServer.source().getConnection()) {
      stale = Roster.state(connection, new SqlText(cluster.schema), one.id());
    }
    one.handOver(TestCluster.ALL);
    NodeState fresh;
    try (Connection connection = TestServer.source().getConnection()) {
      fresh = Roster.state(connection, new SqlText(cluster.schema), one.id());
    }

    assertThat(stale.slots().cardinality()).isEqualTo(Slots.COUNT);
    assertThat(stale.isNewerThan(fresh)).isFalse();
    assertThat(fresh.isNewerThan(stale)).isTrue();
  }

  @Test
  void due_times_follow_the_databases_clock_carried_on_by_the_monotonic_clock() throws Exception {
    PostgresNode node = cluster.join();
    node.poll(0);
    long before = node.millis();

    cluster.pass(Duration.ofSeconds(1));

    assertThat(node.millis()).isEqualTo(before + 1_000);
    long database =
        Long.parseLong(
            TestServer.query("select (extract(epoch from clock_timestamp()) * 1000)::int8").get(0));
    assertThat(before).isBetween(database - 30_000, database);
    node.poll(0); // the database's clock has not moved by a second
    assertThat(node.millis()).isEqualTo(before + 1_000);
  }
}
