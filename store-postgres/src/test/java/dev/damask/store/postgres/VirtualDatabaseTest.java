package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.process.VirtualLoader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/// The virtual database does what a real server does: the same random sequences of statements of
/// three sessions have the same results, waits and errors on both. More of them:
/// `-Ddamask.nodes.sequences=1000`.
@Timeout(600)
@EnabledIfSystemProperty(named = "damask.nodes", matches = "true")
final class VirtualDatabaseTest {
  private static final int SEQUENCES = Integer.getInteger("damask.nodes.sequences", 8);
  private static final long SETTLE_NANOS = 2_000_000;
  private static final int STABLE = 3;

  /// A session with a thread of its own.
  private static final class RealSession {
    final BlockingQueue<Integer> todo = new LinkedBlockingQueue<>();
    final Connection connection;
    final int pid;
    volatile boolean isBusy; // set by the test, reset by the session's thread

    RealSession() throws SQLException {
      connection = TestServer.source().getConnection();
      DatabaseSequence.execute(connection, "set deadlock_timeout = '40ms'");
      String found = DatabaseSequence.execute(connection, "select pg_backend_pid()");
      pid = Integer.parseInt(found.substring("rows ".length()));
    }
  }

  @Test
  void the_same_sequences_have_the_same_results_on_a_real_server() throws Exception {
    VirtualLoader loader = new VirtualLoader(VirtualDatabaseTest.class.getClassLoader());
    var virtual = loader.loadClass(DatabaseSequence.class.getName()).getMethod("run", long.class);
    int compared = 0;
    int first = Integer.getInteger("damask.nodes.first", 1);
    for (long seed = first; seed < first + SEQUENCES; seed++) {
      List<?> found = (List<?>) virtual.invoke(null, seed);
      if (!found.isEmpty()) {
        compared++;
        assertThat(found)
            .as("sequence %d: %s", seed, DatabaseSequence.steps(seed))
            .isEqualTo(real(seed));
      }
    }
    assertThat(compared).isGreaterThan(SEQUENCES / 2);
  }

  private static List<String> real(long seed) throws Exception {
    String schema = TestServer.newSchema().schema();
    TestServer.execute("create schema " + schema);
    DatabaseSequence.preparation()
        .forEach(each -> TestServer.execute(each.replace("@.", schema + ".")));
    List<DatabaseSequence.Step> steps = DatabaseSequence.steps(seed);
    List<String> log = new ArrayList<>();
    ConcurrentLinkedQueue<String> group = new ConcurrentLinkedQueue<>();
    List<RealSession> sessions = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < DatabaseSequence.SESSIONS; i++) {
      RealSession session = new RealSession();
      sessions.add(session);
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                try {
                  for (int step = session.todo.take(); step >= 0; step = session.todo.take()) {
                    String sql = steps.get(step).statement().replace("@.", schema + ".");
                    group.add(
                        DatabaseSequence.line(
                            step, DatabaseSequence.execute(session.connection, sql)));
                    session.isBusy = false;
                  }
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              }));
    }
    try (Connection observer = TestServer.source().getConnection()) {
      for (int i = 0; i < steps.size(); i++) {
        RealSession session = sessions.get(steps.get(i).session());
        if (!session.isBusy) {
          session.isBusy = true;
          session.todo.add(i);
          awaitQuiet(observer, sessions);
          DatabaseSequence.addSorted(log, group);
        }
      }
    }
    for (RealSession session : sessions) {
      session.todo.add(-1);
      session.connection.abort(Runnable::run);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    TestServer.execute("drop schema " + schema + " cascade");
    return log;
  }

  /// Waits until every session is idle or waits for a lock that it will not get by itself.
  private static void awaitQuiet(Connection observer, List<RealSession> sessions) {
    int stable = 0;
    String before = "";
    while (stable < STABLE) {
      StringBuilder now = new StringBuilder();
      boolean isQuiet = true;
      for (RealSession session : sessions) {
        if (session.isBusy) {
          String waits =
              DatabaseSequence.execute(
                  observer,
                  "select coalesce(sum(case when waitstart < clock_timestamp() - interval '60 ms'"
                      + " then 1 else 0 end), 0) from pg_locks where not granted and pid = "
                      + session.pid);
          now.append(session.pid).append(waits);
          isQuiet &= Objects.equals(waits, "rows 1") || !session.isBusy;
        }
      }
      stable = isQuiet && before.contentEquals(now) ? stable + 1 : 0;
      before = now.toString();
      if (now.isEmpty()) {
        return;
      }
      LockSupport.parkNanos(SETTLE_NANOS);
    }
  }
}
