package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.TransactionalHandler;
import dev.damask.store.MemoryStore;
import dev.damask.task.Expression;
import dev.damask.task.Retry;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Effects in the same transaction (CLUSTER.md §7): the handler's rows and the step of the case
/// happen together or not at all.
@Timeout(120)
final class JoinedStepTest {
  /// A handler that gets a connection.
  @FunctionalInterface
  interface Work {
    Object run(EffectCall call, Connection connection) throws Exception;
  }

  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition pays = workflow("pays", effect("pay").exactlyOnce());

  @BeforeEach
  void tables() {
    nodes.execute("create table @.paid (case_id text, attempt int)");
  }

  @AfterEach
  void close() {
    nodes.close();
  }

  private static Retry attempts(int max) {
    return new Retry(max, Duration.ofMillis(10), 1, 0);
  }

  static TransactionalHandler handler(Work work) {
    return (call, connection) -> work.run(call, (Connection) connection);
  }

  private EngineOptions options(Work work) {
    return TestNodes.engineOptions().withHandler("pay", handler(work));
  }

  private Object insert(EffectCall call, Connection connection) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "insert into " + nodes.options.schema() + ".paid values (?, ?)")) {
      insert.setString(1, call.caseId());
      insert.setInt(2, call.attempt());
      insert.executeUpdate();
    }
    return Map.of("paid", call.attempt());
  }

  private List<String> paid() {
    return nodes.query("select case_id, attempt from @.paid order by 1, 2");
  }

  @Test
  void the_row_of_the_handler_and_the_step_are_one_transaction() throws Exception {
    Engine engine = nodes.open(options(this::insert), pays);

    CaseResult<Context> result = engine.start(pays, "one", Context.empty()).await();

    assertThat(result).isEqualTo(new CaseResult.Completed<>(Context.of("paid", 1L)));
    assertThat(
            nodes.query(
                "select p.xmin = c.xmin from @.paid p, @.cases c where p.case_id = c.case_id"))
        .as("one transaction wrote both")
        .containsExactly("t");
    assertThat(engine.verify()).isEmpty();
  }

  @Test
  void a_store_of_one_engine_joins_too() throws Exception {
    PostgresStore store = PostgresStore.open(TestServer.source(), nodes.options);
    try (Engine engine = Engine.open(options(this::insert), store, pays)) {
      assertThat(engine.start(pays, "one", Context.empty()).await())
          .isEqualTo(new CaseResult.Completed<>(Context.of("paid", 1L)));
    }
    assertThat(paid()).containsExactly("one 1");
  }

  @Test
  void a_failing_handler_rolls_back_and_the_attempt_counts() throws Exception {
    WorkflowDefinition twice = workflow("pays", effect("pay").exactlyOnce().retry(attempts(3)));
    Engine engine =
        nodes.open(
            options((call, connection) -> {
              Object result = insert(call, connection);
              if (call.attempt() < 3) {
                throw new IllegalStateException("no money");
              }
              return result;
            }),
            twice);

    assertThat(engine.start(twice, "one", Context.empty()).await())
        .isInstanceOf(CaseResult.Completed.class);

    assertThat(paid()).containsExactly("one 3");
    assertThat(engine.receipts("one")).hasSize(3);
  }

  @Test
  void a_deferred_constraint_is_a_failed_attempt_and_not_in_doubt() throws Exception {
    nodes.execute("create table @.account (id int primary key deferrable initially deferred)");
    WorkflowDefinition once = workflow("pays", effect("pay").exactlyOnce());
    AtomicInteger calls = new AtomicInteger();
    Engine engine =
        nodes.open(
            options((call, connection) -> {
              calls.incrementAndGet();
              insert(call, connection);
              try (Statement twice = connection.createStatement()) {
                twice.execute("insert into " + nodes.options.schema() + ".account values (1), (1)");
              }
              return Map.of();
            }),
            once);

    CaseResult<Context> result = engine.start(once, "one", Context.empty()).await();

    assertThat(result).isInstanceOf(CaseResult.Failed.class);
    assertThat(result.toString()).contains("duplicate key value");
    assertThat(calls).hasValue(1);
    assertThat(paid()).isEmpty();
  }

  /// A constraint trigger on the case itself fires at COMMIT, after the check of the handler's own
  /// constraints.
  @Test
  void an_error_that_commit_itself_reports_is_a_failed_attempt() throws Exception {
    nodes.execute(
        "create function @.refuse() returns trigger language plpgsql as $$ begin"
            + " if (select count(*) from @.paid where attempt < 3) > 0 then"
            + " raise exception 'not at commit' using errcode = '23514'; end if;"
            + " return null; end $$".replace("@.", nodes.options.schema() + "."));
    nodes.execute(
        "create constraint trigger refuse after insert on @.receipts deferrable initially deferred"
            + " for each row execute function @.refuse()");
    WorkflowDefinition retried =
        workflow(
            "pays", par(effect("pay").exactlyOnce().retry(attempts(3)), defer(on("go", skip()))));
    Engine engine = nodes.open(options(this::insert), retried);
    engine.start(retried, "one", Context.empty());
    TestNodes.await(
        () -> paid().equals(List.of("one 3")), () -> paid() + engine.status("one").toString());

    assertThat(engine.signal("one", "go", Map.of()).isAccepted()).isTrue();
    assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
    assertThat(engine.receipts("one").toString()).contains("not at commit");
    assertThat(engine.verify()).isEmpty();
  }

  @Test
  void the_connection_refuses_to_leave_the_transaction() throws Exception {
    Engine engine =
        nodes.open(
            options((call, connection) -> {
              insert(call, connection);
              leave(connection, call.caseId());
              return Map.of();
            }),
            pays);

    for (String way :
        List.of(
            "commit",
            "rollback",
            "autocommit",
            "close",
            "isolation",
            "sql",
            "statement",
            "unwrap")) {
      CaseResult<Context> result = engine.start(pays, way, Context.empty()).await();

      assertThat(result).as(way).isInstanceOf(CaseResult.Failed.class);
      assertThat(result.toString()).contains("is refused: the transaction belongs to the case");
      assertThat(paid()).as(way).isEmpty();
    }
  }

  private static void leave(Connection connection, String way) throws SQLException {
    switch (way) {
      case "commit" -> connection.commit();
      case "rollback" -> connection.rollback();
      case "autocommit" -> connection.setAutoCommit(true);
      case "close" -> connection.close();
      case "isolation" -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      case "unwrap" -> connection.unwrap(org.postgresql.core.BaseConnection.class).commit();
      default -> {
        try (Statement statement = connection.createStatement()) {
          if (way.equals("sql")) {
            statement.execute("select 1; /* now */ COMMIT");
          } else {
            statement.getConnection().commit();
          }
        }
      }
    }
  }

  @Test
  void savepoints_and_words_in_quotes_are_no_end_of_the_transaction() throws Exception {
    Engine engine =
        nodes.open(
            options((call, connection) -> {
              insert(call, connection);
              Savepoint before = connection.setSavepoint();
              insert(call, connection);
              connection.rollback(before);
              try (Statement statement = connection.createStatement()) {
                statement.execute("select 'a; commit', $x$; rollback $x$ -- ; end");
                statement.execute("do $$ begin perform 1; end $$");
                statement.execute("savepoint a; rollback to a");
              }
              return Map.of();
            }),
            pays);

    assertThat(engine.start(pays, "one", Context.empty()).await())
        .isInstanceOf(CaseResult.Completed.class);
    assertThat(paid()).containsExactly("one 1");
  }

  @Test
  void the_handler_works_at_read_committed_without_a_lock_of_its_node() throws Exception {
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    Engine engine =
        nodes.open(
            options((_, connection) -> {
              try (Statement statement = connection.createStatement();
                  var rows =
                      statement.executeQuery(
                          "select current_setting('transaction_isolation') || ' '"
                              + " || (select count(*) from pg_locks where pid = pg_backend_pid()"
                              + " and locktype = 'advisory' and objid < 1000000) || ' '"
                              + " || (select count(*) from "
                              + nodes.options.schema()
                              + ".backend where pid = pg_backend_pid())")) {
                rows.next();
                seen.add(rows.getString(1));
              }
              return Map.of();
            }),
            pays);

    engine.start(pays, "one", Context.empty()).await();

    assertThat(seen).containsExactly("read committed 0 1");
  }

  @Test
  void a_timeout_rolls_back_and_frees_the_rows_of_the_handler() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    WorkflowDefinition limited =
        workflow(
            "pays", effect("pay").exactlyOnce().timeout(Duration.ofMillis(500)).retry(attempts(2)));
    nodes.execute("create table @.stock (n int); insert into @.stock values (1)");
    Engine engine =
        nodes.open(
            options((call, connection) -> {
              insert(call, connection);
              try (Statement statement = connection.createStatement()) {
                statement.execute("update " + nodes.options.schema() + ".stock set n = n - 1");
                if (calls.incrementAndGet() == 1) {
                  statement.execute("select pg_sleep(60)");
                }
              }
              return Map.of();
            }),
            limited);

    assertThat(engine.start(limited, "one", Context.empty()).await())
        .isInstanceOf(CaseResult.Completed.class);
    never.countDown();

    assertThat(paid()).containsExactly("one 2");
    assertThat(nodes.query("select n from @.stock")).containsExactly("0");
  }

  @Test
  void other_branches_continue_after_a_failed_transaction() throws Exception {
    WorkflowDefinition two =
        workflow(
            "two",
            par(
                effect("pay").exactlyOnce().retry(attempts(2)),
                effect("wait").atMostOnce(),
                defer(on("go", skip()))));
    CountDownLatch answer = new CountDownLatch(1);
    AtomicInteger waits = new AtomicInteger();
    nodes.execute("create unique index one on @.paid (case_id, attempt)");
    nodes.execute("insert into @.paid values ('one', 1)");
    Engine engine =
        nodes.open(
            options(this::insert)
                .withHandler(
                    "wait",
                    _ -> {
                      waits.incrementAndGet();
                      answer.await();
                      return Map.of("waited", true);
                    }),
            two);
    engine.start(two, "one", Context.empty());
    TestNodes.await(() -> paid().size() == 2, () -> paid().toString());

    assertThat(engine.signal("one", "go", Map.of()).isAccepted()).isTrue();
    answer.countDown();

    assertThat(engine.await("one").toString()).contains("waited=true").contains("paid=2");
    assertThat(waits).hasValue(1);
  }

  @Test
  void two_effects_with_one_key_pay_once() throws Exception {
    WorkflowDefinition keyed =
        workflow("keyed", effect("pay").exactlyOnce().key(Expression.named("'k'", _ -> "k")));
    Engine engine = nodes.open(options(this::insert), keyed);
    engine.start(keyed, "one", Context.empty());
    engine.start(keyed, "two", Context.empty());

    engine.await("one");
    engine.await("two");

    assertThat(paid()).hasSize(1);
  }

  @Test
  void a_call_whose_case_has_moved_is_rolled_back_and_made_again_by_the_new_owner()
      throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    Queue<String> called = new ConcurrentLinkedQueue<>();
    Work slow =
        (call, connection) -> {
          called.add(call.caseId());
          answer.await();
          return insert(call, connection);
        };
    Engine one = nodes.open(options(slow), pays);
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      ids.add("case-" + i);
      one.start(pays, "case-" + i, Context.empty());
    }
    TestNodes.await(() -> called.size() == 8, called::toString);
    Engine two = nodes.open(options(slow), pays);
    nodes.awaitBalance(2);

    answer.countDown();

    for (String id : ids) {
      assertThat(two.await(id)).as(id).isInstanceOf(CaseResult.Completed.class);
    }
    assertThat(paid()).containsExactlyElementsOf(ids.stream().map(id -> id + " 1").toList());
    assertThat(called.size()).as("some moved").isGreaterThan(8);
  }

  @Test
  void a_taker_frees_the_rows_of_a_handler_on_a_node_that_is_cut_off() throws Exception {
    nodes.execute("create table @.stock (n int); insert into @.stock values (1)");
    CountDownLatch answer = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    Work locks =
        (call, connection) -> {
          try (Statement statement = connection.createStatement()) {
            statement.execute("update " + nodes.options.schema() + ".stock set n = n - 1");
          }
          if (calls.incrementAndGet() == 1) {
            answer.await();
          }
          return insert(call, connection);
        };
    TcpProxy proxy = nodes.proxy();
    Engine one = nodes.open(options(locks), proxy, pays);
    one.start(pays, "one", Context.empty());
    TestNodes.await(() -> calls.get() == 1, () -> "the call");
    Engine two = nodes.open(options(locks), pays);
    proxy.freeze();

    assertThat(two.await("one")).isInstanceOf(CaseResult.Completed.class);

    assertThat(nodes.query("select n from @.stock")).containsExactly("0");
    assertThat(paid()).containsExactly("one 1");
    answer.countDown();
    proxy.cutAll();
  }

  @ParameterizedTest
  @EnumSource
  void a_connection_cut_at_whatever_message_loses_and_doubles_nothing(TcpProxy.Cut cut)
      throws Exception {
    TcpProxy proxy = nodes.proxy();
    Engine engine = nodes.open(options(this::insert), proxy, pays);
    boolean hasCut = true;
    for (int message = 0; hasCut; message += 3) {
      String id = "case-" + message;
      proxy.cutAt(message, cut);
      engine.start(pays, id, Context.empty());
      assertThat(engine.await(id, Duration.ofSeconds(30))).as("%s at %d", cut, message).isPresent();
      hasCut = proxy.hasCut() && message < 150;
      proxy.cutAt(-1, cut);
      assertThat(nodes.query("select count(*) from @.paid where case_id = '" + id + "'"))
          .as("%s at %d", cut, message)
          .containsExactly("1");
    }
  }

  @Test
  void a_handler_that_takes_no_connection_is_refused() {
    EffectHandler plain = _ -> Map.of();
    assertThatThrownBy(() -> nodes.open(TestNodes.engineOptions().withHandler("pay", plain), pays))
        .hasMessage(
            "workflow pays: task pay has delivery exactlyOnce, but its handler accepts no"
                + " connection; register a TransactionalHandler, or use another delivery");
    WorkflowDefinition keyed = workflow("keyed", effect("pay"));
    assertThatThrownBy(() -> nodes.open(options(this::insert), keyed))
        .hasMessage(
            "workflow keyed: task pay has a handler that accepts a connection; use delivery"
                + " exactlyOnce");
  }

  @Test
  void a_store_that_joins_no_transactions_refuses_when_the_engine_opens() {
    assertThatThrownBy(() -> Engine.open(options(this::insert), new MemoryStore(), pays))
        .hasMessage(
            "workflow pays: task pay has delivery exactlyOnce, but this store joins no"
                + " transactions; open the engine on PostgreSQL, or use another delivery");
  }
}
