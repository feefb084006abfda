package dev.damask.store.postgres;

import dev.damask.database.Network;
import dev.damask.database.VirtualDatabase;
import dev.damask.process.VirtualHost;
import dev.damask.process.VirtualProcess;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// A random sequence of statements of three sessions, for the virtual database and a real one.
public final class DatabaseSequence {
  static final int SESSIONS = 3;
  private static final int STEPS = 24;
  private static final long STEP_NANOS = 5_000_000_000L;

  /// A statement of one session.
  record Step(int session, String statement) {}

  private DatabaseSequence() {}

  /// Returns the statements that create and fill the table. `@.` stands for the schema.
  static List<String> preparation() {
    return List.of(
        "create table @.t (id int4 primary key, n int8 not null)",
        "insert into @.t (id, n) values (1, 10), (2, 20), (3, 30)");
  }

  static List<Step> steps(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Set<String>> locked = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      locked.add(new HashSet<>());
    }
    List<Step> steps = new ArrayList<>();
    while (steps.size() < STEPS) {
      int session = random.nextInt(SESSIONS);
      String statement = statement(random);
      boolean isEnd = statement.equals("commit") || statement.equals("rollback");
      if (isEnd) {
        locked.get(session).clear();
      }
      int at = statement.indexOf("lock");
      String key = at < 0 ? "" : statement.substring(statement.indexOf('(', at));
      if (key.isEmpty() || locked.get(session).add(key)) {
        steps.add(new Step(session, statement));
      }
    }
    for (int i = 0; i < SESSIONS; i++) {
      steps.add(new Step(i, "commit"));
    }
    steps.add(new Step(0, "select id, n from @.t order by id"));
    return steps;
  }

  private static String statement(SplittableRandom random) {
    int id = 1 + random.nextInt(4);
    int n = random.nextInt(50);
    String shared = random.nextBoolean() ? "_shared" : "";
    String lock = "pg_advisory_xact_lock" + shared + "(77, " + (1 + random.nextInt(2)) + ")";
    return switch (random.nextInt(16)) {
      case 0, 1 -> "begin isolation level read committed";
      case 2 -> "begin isolation level repeatable read";
      case 3, 4 -> "commit";
      case 5 -> "rollback";
      case 6 -> "select id, n from @.t order by id";
      case 7 -> "select n from @.t where id = " + id;
      case 8, 9 -> "update @.t set n = n + " + n + " where id = " + id;
      case 10 -> "update @.t set n = n + 1 where id = " + id + " and n > " + n + " returning n";
      case 11 -> "delete from @.t where id = " + id;
      case 12 ->
          "insert into @.t (id, n) values ("
              + id
              + ", "
              + n
              + ") on conflict (id) do update"
              + " set n = excluded.n + 1 where @.t.n > "
              + n;
      case 13 ->
          "insert into @.t (id, n) values ("
              + id
              + ", "
              + n
              + ")"
              + (random.nextBoolean() ? " on conflict do nothing" : "");
      case 14 -> "select " + lock + " is null";
      default -> "select " + lock + " is null, (select t.n from @.t t where t.id = " + id + ")";
    };
  }

  /// Executes a statement and returns what it did.
  static String execute(Connection connection, String sql) {
    try (Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return "count " + statement.getUpdateCount();
      }
      StringBuilder found = new StringBuilder("rows");
      try (ResultSet rows = statement.getResultSet()) {
        int columns = sql.startsWith("select id, n") || sql.contains("is null, (select") ? 2 : 1;
        while (rows.next()) {
          for (int i = 1; i <= columns; i++) {
            found.append(' ').append(rows.getString(i));
          }
        }
      }
      return found.toString();
    } catch (SQLException e) {
      boolean isEnd = sql.equals("commit") || sql.equals("rollback");
      return isEnd ? "count 0" : "error " + e.getSQLState();
    }
  }

  /// What one session does, one statement after another.
  private static final class Session {
    final Deque<Integer> todo = new ArrayDeque<>();
    boolean isBusy;
  }

  static String line(int step, String result) {
    return "%2d: %s".formatted(step, result);
  }

  /// Adds what one step has brought about, the results of all sessions in the order of their steps.
  static void addSorted(List<String> log, java.util.Collection<String> group) {
    group.stream().sorted().forEach(log::add);
    group.clear();
  }

  /// Runs a sequence on the virtual database and returns what each step did, in the order of the
  /// results; nothing if a real server could have done it in another order.
  public static List<String> run(long seed) {
    VirtualHost host = VirtualHost.create(seed);
    VirtualDatabase database = new VirtualDatabase(host, host.process("database"));
    Network network =
        new Network() {
          @Override
          public long delay(VirtualProcess client) {
            return 1_000;
          }

          @Override
          public long stalledUntil(VirtualProcess client) {
            return 0;
          }
        };
    List<String> log = new ArrayList<>();
    List<String> group = new ArrayList<>();
    List<Step> steps = steps(seed);
    List<Session> sessions = new ArrayList<>();
    boolean[] isOver = {false};
    for (int i = 0; i < SESSIONS; i++) {
      Session session = new Session();
      sessions.add(session);
      VirtualProcess process = host.process("session-" + i);
      boolean isFirst = i == 0;
      session.isBusy = true;
      process.start(
          "main",
          () -> {
            try (Connection connection = database.source(process, network).getConnection()) {
              if (isFirst) {
                preparation().forEach(each -> execute(connection, each.replace("@.", "s.")));
              }
              session.isBusy = false;
              while (!isOver[0]) {
                host.awaitUninterruptibly(() -> !session.todo.isEmpty() || isOver[0]);
                Integer step = session.todo.poll();
                if (step != null) {
                  String sql = steps.get(step).statement.replace("@.", "s.");
                  group.add(line(step, execute(connection, sql)));
                  session.isBusy = false;
                }
              }
            } catch (SQLException e) {
              throw new IllegalStateException(e);
            }
          });
    }
    host.run(STEP_NANOS, () -> false);
    for (int i = 0; i < steps.size(); i++) {
      Session session = sessions.get(steps.get(i).session);
      if (!session.isBusy) {
        session.isBusy = true;
        session.todo.add(i);
        host.run(host.nanos() + STEP_NANOS, () -> false);
        addSorted(log, group);
      }
    }
    isOver[0] = true;
    host.stop();
    return database.races() > 0 ? List.of() : log;
  }
}
