package dev.damask.spring;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.TransactionScope;
import dev.damask.effect.TransactionalHandler;
import dev.damask.event.Failure;
import dev.damask.spring.ledger.Ledger;
import dev.damask.spring.ledger.LedgerApplication;
import dev.damask.spring.ledger.Payment;
import dev.damask.store.postgres.PostgresOptions;
import dev.damask.store.postgres.PostgresSchema;
import dev.damask.task.Retry;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;

/// Effects in the same transaction (CLUSTER.md §7) with Spring: what the application's transaction
/// manager manages joins the transaction that commits the case.
@Timeout(120)
final class SpringTransactionTest {
  /// What a handler does.
  @FunctionalInterface
  interface Work {
    void run(EffectCall call) throws Exception;
  }

  private static final String JPA =
      "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration";
  private static final AtomicInteger CASES = new AtomicInteger();
  private static final AtomicReference<Work> WORK = new AtomicReference<>();
  private static final WorkflowDefinition PAYS =
      workflow(
          "pays", effect("pay").exactlyOnce().retry(new Retry(2, Duration.ofMillis(10), 1, 0)));
  private static EmbeddedPostgres server;
  private static ConfigurableApplicationContext rows;
  private static ConfigurableApplicationContext entities;

  private final String id = "case-" + CASES.incrementAndGet();

  @BeforeAll
  static void start() throws Exception {
    server =
        EmbeddedPostgres.builder()
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("full_page_writes", "on")
            .start();
    new PostgresSchema(source(), PostgresOptions.DEFAULT).init();
    new PostgresSchema(source(), PostgresOptions.DEFAULT.withSchema("other")).init();
    new JdbcTemplate(source()).execute("create table payment (id text primary key, attempt int)");
    rows = application("damask", "spring.autoconfigure.exclude=" + JPA);
    entities = application("other");
  }

  @AfterAll
  static void stop() throws Exception {
    entities.close();
    rows.close();
    server.close();
  }

  private static PGSimpleDataSource source() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.getJdbcUrl("postgres", "postgres"));
    return source;
  }

  private static ConfigurableApplicationContext application(String schema, String... more) {
    return builder(schema, _ -> {}).properties(more).run();
  }

  private static SpringApplicationBuilder builder(
      String schema, Consumer<GenericApplicationContext> beans) {
    PostgresOptions options = PostgresOptions.DEFAULT.withSchema(schema);
    TransactionalHandler handler =
        (call, _) -> {
          WORK.get().run(call);
          return Map.of("attempt", call.attempt());
        };
    return new SpringApplicationBuilder(LedgerApplication.class)
        .web(WebApplicationType.NONE)
        .bannerMode(Banner.Mode.OFF)
        .initializers((GenericApplicationContext context) -> {
          context.registerBean("pay", EffectHandler.class, () -> handler);
          context.registerBean(WorkflowDefinition.class, () -> PAYS);
          context.registerBean(PostgresOptions.class, () -> options);
          beans.accept(context);
        })
        .properties(
            "damask.store=datasource",
            "damask.grace=100ms",
            "spring.datasource.url=" + server.getJdbcUrl("postgres", "postgres"));
  }

  @BeforeEach
  void empty() {
    new JdbcTemplate(source()).execute("truncate payment");
  }

  private CaseResult<Context> pay(ApplicationContext context, Work paying) throws Exception {
    WORK.set(paying);
    return context.getBean(Engine.class).start(PAYS, id, Context.empty()).await();
  }

  private List<String> stored(String schema) {
    return new JdbcTemplate(source())
            .queryForList(
                "select p.id || ' ' || p.attempt || case when p.xmin = c.xmin then ' with the case'"
                    + " else ' alone' end from payment p, %s.cases c where c.case_id = ? order by 1"
                        .formatted(schema),
                String.class,
                id)
            .stream()
            .map(String::valueOf)
            .toList();
  }

  @Test
  void rows_of_a_jdbc_template_and_of_transactional_methods_commit_with_the_case()
      throws Exception {
    Ledger ledger = rows.getBean(Ledger.class);

    CaseResult<Context> result =
        pay(
            rows,
            call -> {
              ledger.write("plain", call.attempt());
              ledger.join("joined", call.attempt());
            });

    assertThat(result).isEqualTo(new CaseResult.Completed<>(Context.of("attempt", 1L)));
    assertThat(stored("damask")).containsExactly("joined 1 with the case", "plain 1 with the case");
    assertThat(rows.getBean(DataSource.class)).isInstanceOf(HikariDataSource.class);
  }

  @Test
  void an_attempt_that_fails_rolls_its_rows_back() throws Exception {
    Ledger ledger = rows.getBean(Ledger.class);

    CaseResult<Context> result =
        pay(
            rows,
            call -> {
              ledger.write("plain", call.attempt());
              ledger.join("joined", call.attempt());
              if (call.attempt() == 1) {
                throw new IllegalStateException("no money");
              }
            });

    assertThat(result).isEqualTo(new CaseResult.Completed<>(Context.of("attempt", 2L)));
    assertThat(stored("damask")).containsExactly("joined 2 with the case", "plain 2 with the case");
  }

  @Test
  void a_transactional_method_that_failed_fails_the_attempt_also_if_the_handler_goes_on()
      throws Exception {
    Ledger ledger = rows.getBean(Ledger.class);

    CaseResult<Context> result =
        pay(
            rows,
            call -> {
              ledger.write("plain", call.attempt());
              assertThatThrownBy(() -> ledger.joinAndFail("joined", call.attempt()))
                  .hasMessage("no money");
            });

    assertThat(result).isInstanceOf(CaseResult.Failed.class);
    assertThat(result.toString()).contains("has marked the transaction as rollback-only");
    assertThat(stored("damask")).isEmpty();
  }

  @Test
  void a_nested_method_that_failed_undoes_only_its_part() throws Exception {
    Ledger ledger = rows.getBean(Ledger.class);

    pay(
        rows,
        call -> {
          ledger.write("plain", call.attempt());
          assertThatThrownBy(() -> ledger.nestAndFail("nested", call.attempt()))
              .hasMessage("not this part");
        });

    assertThat(stored("damask")).containsExactly("plain 1 with the case");
  }

  @Test
  void requires_new_and_other_threads_leave_the_transaction() throws Exception {
    Ledger ledger = rows.getBean(Ledger.class);

    CaseResult<Context> result =
        pay(
            rows,
            call -> {
              ledger.write("plain", call.attempt());
              ledger.leave("new", call.attempt());
              CompletableFuture.runAsync(() -> ledger.join("thread", call.attempt())).join();
              throw EffectException.permanent(Failure.EXCEPTION, "no money");
            });

    assertThat(result).isInstanceOf(CaseResult.Failed.class);
    assertThat(stored("damask")).containsExactly("new 1 alone", "thread 1 alone");
  }

  @Test
  void the_connection_of_a_jdbc_template_refuses_to_end_the_transaction() throws Exception {
    JdbcTemplate jdbc = rows.getBean(JdbcTemplate.class);
    Ledger ledger = rows.getBean(Ledger.class);

    CaseResult<Context> result =
        pay(
            rows,
            call -> {
              ledger.write("plain", call.attempt());
              jdbc.execute((ConnectionCallback<Boolean>) SpringTransactionTest::commit);
            });

    assertThat(result.toString()).contains("commit is refused");
    assertThat(stored("damask")).isEmpty();
  }

  private static boolean commit(Connection connection) throws SQLException {
    connection.commit();
    return true;
  }

  @Test
  void listeners_hear_of_the_commit_before_it_and_never_too_early_of_its_end() throws Exception {
    Ledger ledger = rows.getBean(Ledger.class);
    @SuppressWarnings("unchecked") // the application has one queue
    Queue<String> heard = (Queue<String>) rows.getBean("heard");

    pay(rows, call -> ledger.join(id, call.attempt()));

    assertThat(heard).contains("before " + id, "completed " + id).doesNotContain("after " + id);
    assertThat(stored("damask")).containsExactly(id + " 1 with the case");
  }

  @Test
  void entities_and_rows_of_a_jdbc_template_commit_with_the_case() throws Exception {
    EntityManager manager = entityManager();
    Ledger ledger = entities.getBean(Ledger.class);

    CaseResult<Context> result =
        pay(
            entities,
            call -> {
              manager.persist(new Payment("entity", call.attempt()));
              ledger.join("joined", call.attempt());
              if (call.attempt() == 1) {
                throw new IllegalStateException("no money");
              }
            });

    assertThat(result).isEqualTo(new CaseResult.Completed<>(Context.of("attempt", 2L)));
    assertThat(stored("other")).containsExactly("entity 2 with the case", "joined 2 with the case");
    assertThat(manager.find(Payment.class, "entity").attempt()).isEqualTo(2);
  }

  @Test
  void an_entity_that_the_database_refuses_when_it_is_flushed_fails_the_attempt() throws Exception {
    EntityManager manager = entityManager();
    Ledger ledger = entities.getBean(Ledger.class);

    CaseResult<Context> result =
        pay(
            entities,
            call -> {
              ledger.leave("taken " + call.attempt(), call.attempt());
              manager.persist(new Payment("taken 1", 7));
            });

    assertThat(result).isInstanceOf(CaseResult.Failed.class);
    assertThat(result.toString()).contains("duplicate key");
    assertThat(stored("other")).containsExactly("taken 1 1 alone", "taken 2 2 alone");
  }

  private static EntityManager entityManager() {
    return SharedEntityManagerCreator.createSharedEntityManager(
        entities.getBean(EntityManagerFactory.class));
  }

  @Test
  void a_transaction_manager_of_another_data_source_is_refused_with_its_name() throws Exception {
    TransactionScope scope = new SpringTransactionScope(manager(), rows.getBean(DataSource.class));

    try (Connection step = source().getConnection()) {
      assertThatThrownBy(() -> scope.call(step, () -> "called"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "damask.store: transaction manager JdbcTransactionManager does not begin its"
                  + " transactions on the engine's DataSource; declare one that does as the primary"
                  + " bean");
    }
  }

  @Test
  void several_transaction_managers_need_a_primary_one() {
    SpringApplicationBuilder several =
        builder(
                "damask",
                each -> {
                  each.registerBean("one", PlatformTransactionManager.class, () -> manager());
                  each.registerBean("two", PlatformTransactionManager.class, () -> manager());
                })
            .properties("spring.autoconfigure.exclude=" + JPA);

    assertThatThrownBy(several::run)
        .hasStackTraceContaining("the application has several transaction managers");
  }

  private static PlatformTransactionManager manager() {
    return new JdbcTransactionManager(source());
  }
}
