package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.sql.SqlText;
import dev.damask.sql.SuspectRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The cases of nodes that died, in the database.
@Timeout(60)
final class SuspectRowsTest {
  private final TestCluster cluster = new TestCluster();
  private final SuspectRows rows = new SuspectRows(new SqlText(cluster.schema));

  @AfterEach
  void close() {
    cluster.close();
  }

  private List<String> query(String sql) {
    return TestServer.query(sql.replace("@.", cluster.schema + "."));
  }

  /// Messages make their cases suspects of the node that owns them.
  private List<String> messages(PostgresNode owner, int count) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; ids.size() < count && i < 10_000; i++) {
      if (owner.owns("case-" + i)) {
        ids.add("case-" + i);
        query("select @.damask_signal('case-%d', 'go', '{}', 'm')".formatted(i));
      }
    }
    return ids;
  }

  private void die(PostgresNode dead, PostgresNode taker) throws SQLException {
    assertThat(taker.takeOver(dead.id(), taker.counters().getOrDefault(dead.id(), 0L))).isTrue();
  }

  private List<String> begin(PostgresNode node) throws SQLException {
    try (Connection connection = node.connections().take()) {
      return rows.begin(connection, node.id()).stream()
          .map(SuspectRows.Suspect::caseId)
          .sorted()
          .toList();
    }
  }

  private void end(PostgresNode node) throws SQLException {
    try (Connection connection = node.connections().take()) {
      rows.end(connection, node.id());
    }
  }

  /// A node that has everything, and one that looks on.
  private PostgresNode next(PostgresNode taker) throws SQLException {
    PostgresNode node = cluster.join();
    taker.handOver(TestCluster.ALL);
    node.poll(0); // it learns of its slots
    return node;
  }

  @Test
  void cases_with_messages_and_due_cases_of_a_dead_node_are_suspects_and_no_others()
      throws SQLException {
    PostgresNode one = cluster.join();
    PostgresNode two = next(one);
    List<String> of = messages(one, 2);
    messages(two, 1);
    String due = of.get(1) + "-due";
    query(
        "insert into @.due (case_id, slot, due) values ('%s', @.damask_slot('%s'), 1) returning 1"
            .formatted(due, of.get(1)));
    TestServer.execute(
        "update %s.due set slot = %s.damask_slot('%s')"
            .formatted(cluster.schema, cluster.schema, of.get(1)));

    die(one, two);

    assertThat(query("select case_id from @.suspects order by 1"))
        .containsExactlyInAnyOrder(of.get(0), of.get(1), due);
  }

  @Test
  void a_batch_is_halved_when_its_node_dies_and_a_lone_case_counts_deaths() throws SQLException {
    PostgresNode taker = cluster.join();
    PostgresNode first = next(taker);
    List<String> cases = messages(first, 4);
    die(first, taker);
    assertThat(begin(taker)).hasSameElementsAs(cases);

    PostgresNode second = cluster.join();
    die(taker, second);

    List<String> half = begin(second);
    assertThat(half).containsExactlyElementsOf(cases.stream().sorted().limit(2).toList());
    end(second);
    List<String> other = begin(second);
    assertThat(other).containsExactlyElementsOf(cases.stream().sorted().skip(2).toList());

    PostgresNode third = cluster.join();
    die(second, third);
    assertThat(begin(third)).containsExactly(other.get(0));
    PostgresNode fourth = cluster.join();
    die(third, fourth);

    assertThat(begin(fourth)).as("a case of another batch comes first").hasSize(1);
    assertThat(query("select case_id, deaths from @.suspects where deaths > 0"))
        .containsExactly(other.get(0) + " 1");
  }

  @Test
  void a_batch_of_a_node_that_leaves_waits_for_the_next_owner() throws SQLException {
    PostgresNode taker = cluster.join();
    PostgresNode first = next(taker);
    List<String> cases = messages(first, 2);
    die(first, taker);
    begin(taker);
    PostgresNode second = cluster.join();

    taker.leave();

    assertThat(begin(second)).hasSameElementsAs(cases);
    assertThat(query("select deaths from @.suspects")).containsExactly("0", "0");
  }

  @Test
  void new_batches_have_a_size() throws SQLException {
    PostgresNode taker = cluster.join();
    PostgresNode first = next(taker);
    messages(first, SuspectRows.BATCH_MAX + 5);
    die(first, taker);

    assertThat(begin(taker)).hasSize(SuspectRows.BATCH_MAX);
    end(taker);
    assertThat(begin(taker)).hasSize(5);
    end(taker);
    assertThat(begin(taker)).isEmpty();
  }

  @Test
  void each_further_batch_is_twice_as_large() throws SQLException {
    PostgresNode taker = cluster.join();
    PostgresNode first = next(taker);
    messages(first, 3 * SuspectRows.BATCH_MAX + 5);
    die(first, taker);

    assertThat(begin(taker)).hasSize(SuspectRows.BATCH_MAX);
    end(taker);
    assertThat(begin(taker)).hasSize(2 * SuspectRows.BATCH_MAX);
    end(taker);
    assertThat(begin(taker)).hasSize(5);
  }
}
