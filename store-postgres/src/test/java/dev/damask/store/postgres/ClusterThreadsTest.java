package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.event.Reply;
import dev.damask.sql.ClusterIdentity;
import dev.damask.sql.NodeConnections;
import dev.damask.sql.SqlText;
import dev.damask.store.StoreException;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/// Threads of a node in which something fails that is no error of the database.
@Timeout(60)
final class ClusterThreadsTest {
  private static final String BEAT = ".heartbeat set counter";
  private static final String SEND = ".inbox (case_id";
  private static final String REPLIES = "select r.case_id, r.message_id, r.answer";
  private static final String HAND_OVER = "set epoch = epoch + 1";

  private static final Duration REPLY_TIME = Duration.ofSeconds(1);

  private final TestNodes nodes = new TestNodes(TestServer.schema().withReplyTime(REPLY_TIME));

  /// How often statements with a text fail.
  private final Map<String, AtomicInteger> failures = new ConcurrentHashMap<>();

  private volatile boolean isAway;
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  private final WorkflowDefinition waiting =
      workflow("waiting", defer(on("go", task("end", c -> c.with("ended", true)))));
  private final WorkflowDefinition paying = workflow("paying", effect("pay"));

  @AfterEach
  void close() {
    mayEnd.countDown();
    nodes.close();
  }

  private AlteredSource failing() {
    return new AlteredSource(TestServer.source(), this::executed);
  }

  private String executed(String sql) {
    failures.forEach((part, left) -> {
      if (sql.contains(part) && left.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        throw new IllegalStateException("made up");
      }
    });
    return isAway && sql.contains(SEND) ? "select 1" : sql; // without its parameters
  }

  private void fail(String part, int times) {
    failures.put(part, new AtomicInteger(times));
  }

  private void awaitFailures() {
    TestNodes.await(
        () -> failures.values().stream().allMatch(left -> left.get() == 0), failures::toString);
  }

  private long counter() {
    return Long.parseLong(nodes.query("select counter from @.heartbeat order by node").getFirst());
  }

  @Test
  void a_node_goes_on_after_whatever_its_threads_throw() throws Exception {
    Engine one = nodes.open(failing(), waiting);
    one.start(waiting, "case-0", Context.empty());
    fail(HAND_OVER, 2);
    Engine other = nodes.open(waiting);
    nodes.awaitBalance(2);
    awaitFailures();

    long before = counter();
    fail(BEAT, 2);
    awaitFailures();
    TestNodes.await(() -> counter() > before + 1, () -> "no heartbeat after " + before);

    for (int i = 1; i < 12; i++) { // some belong to the other node
      other.start(waiting, "case-" + i, Context.empty());
    }
    fail(SEND, 1);
    fail(REPLIES, 2);
    int refused = 0;
    for (int i = 0; i < 12; i++) {
      try {
        assertThat(one.signal("case-" + i, "go", Map.of(), "m").kind()).isEqualTo(Reply.ACCEPTED);
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageContaining("message m cannot be stored at the moment");
        refused++;
        assertThat(one.signal("case-" + i, "go", Map.of(), "m").kind()).isEqualTo(Reply.ACCEPTED);
      }
      assertThat(other.await("case-" + i)).isInstanceOf(CaseResult.Completed.class);
    }
    assertThat(refused).isOne();
    awaitFailures();
    assertThat(nodes.query("select count(*) from @.node where fenced")).containsExactly("0");
  }

  @Test
  void the_result_of_a_call_is_sent_however_long_it_cannot_be_stored() throws Exception {
    AlteredSource source = failing();
    Engine one =
        nodes.open(
            TestNodes.engineOptions()
                .withHandler(
                    "pay",
                    _ -> {
                      mayEnd.await();
                      return Map.of("by", "one");
                    }),
            source,
            paying);
    for (int i = 0; i < 12; i++) {
      one.start(paying, "case-" + i, Context.empty());
    }
    Engine other = nodes.open(TestNodes.engineOptions().withHandler("pay", _ -> Map.of()), paying);
    nodes.awaitBalance(2);
    isAway = true;
    fail(SEND, 1);

    mayEnd.countDown();
    awaitFailures();
    long end = System.nanoTime() + REPLY_TIME.plusMillis(500).toNanos();
    TestNodes.await(() -> System.nanoTime() - end > 0, () -> "time passes");
    isAway = false;

    for (int i = 0; i < 12; i++) {
      assertThat(other.await("case-" + i))
          .isEqualTo(new CaseResult.Completed<>(Context.of("by", "one")));
    }
    assertThat(source.changes()).isPositive();
  }

  @Test
  @Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
  void a_thread_that_is_interrupted_does_not_try_again_while_the_database_is_away() {
    AtomicInteger attempts = new AtomicInteger();
    DataSource away =
        (DataSource)
            Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (_, _, _) -> {
                  if (attempts.incrementAndGet() == 3) {
                    Thread.currentThread().interrupt();
                  }
                  throw new SQLException("away", "08001");
                });
    try (TestCluster cluster = new TestCluster()) {
      SqlText sql = new SqlText(cluster.schema);
      ClusterIdentity identity = new ClusterIdentity(UUID.randomUUID(), 1, 1, 1);
      PostgresReads reads =
          new PostgresReads(new NodeConnections(away, sql, identity, "role", 1), sql)
              .ofNode(cluster.join(), () -> true);

      assertThatThrownBy(() -> reads.record("one"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("the thread was interrupted before it could read: away");

      assertThat(Thread.interrupted()).isTrue();
      assertThat(attempts).hasValue(3);
    }
  }
}
