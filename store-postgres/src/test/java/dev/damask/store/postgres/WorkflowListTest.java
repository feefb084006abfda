package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/// The cases of one workflow are listed from an index, in every new and upgraded schema.
@Timeout(60)
final class WorkflowListTest {
  private static WorkflowDefinition waiting(String name) {
    return workflow(name, defer(on("go", skip())));
  }

  private static List<String> ids(Store store, CaseQuery query) {
    List<String> ids = new ArrayList<>();
    String next = "";
    do {
      CasePage page = store.list(query.withPage(next, 2));
      page.cases().stream().map(CaseRecord::caseId).forEach(ids::add);
      next = page.next();
    } while (!next.isEmpty());
    return ids;
  }

  @Test
  void pages_have_each_case_of_the_workflow_once() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setDataSource(TestServer.source());
    config.setMaximumPoolSize(6);
    PostgresOptions options = TestServer.schema();
    WorkflowDefinition common = waiting("common");
    WorkflowDefinition rare = waiting("rare");
    try (HikariDataSource pool = new HikariDataSource(config);
        PostgresStore store = PostgresStore.open(pool, options);
        Engine engine = Engine.open(EngineOptions.defaults().withShards(1), store, common, rare)) {
      for (int i = 0; i < 20; i++) {
        engine.start(common, "a-" + i, Context.empty());
      }
      for (int i = 0; i < 5; i++) {
        engine.start(rare, "r-" + i, Context.empty());
      }
      engine.signal("r-3", "go", Map.of());
      var _ = engine.await("r-3");
      CaseQuery query = CaseQuery.ALL.withWorkflow("rare");

      assertThat(ids(store, query)).containsExactly("r-0", "r-1", "r-2", "r-4", "r-3");
      assertThat(ids(store, query.withStatus(CaseStatus.WAITING)))
          .containsExactly("r-0", "r-1", "r-2", "r-4");
      assertThat(ids(store, query.withStatus(CaseStatus.CORRUPT))).isEmpty();
      assertThat(ids(store, query.withStarted(0, 1))).isEmpty();
      assertThat(ids(store, CaseQuery.ALL)).hasSize(25);
      assertThat(store.ids("r-", "r-1", 2)).containsExactly("r-2", "r-3");
      assertThat(store.ids("a-1", "", 3)).containsExactly("a-1", "a-10", "a-11");
    }
  }

  @Test
  void the_index_is_there_after_an_upgrade_and_serves_the_statement() throws Exception {
    PostgresOptions options = TestServer.newSchema();
    List<String> before = PostgresSchema.shipped().subList(0, 4);
    new PostgresSchema(TestServer.source(), options, before, () -> 4711).init();

    assertThat(new PostgresSchema(TestServer.source(), options).upgrade()).isTrue();

    StringBuilder plan = new StringBuilder();
    PGSimpleDataSource source = TestServer.source();
    source.setOptions("-c enable_seqscan=off -c enable_sort=off"); // the table is empty
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "explain select case_id from "
                    + options.schema()
                    + ".cases where workflow collate \"C\" = 'rare' and status = 1"
                    + " and (status, started, case_id) > (1, 5, 'x')"
                    + " order by status, started, case_id limit 51")) {
      while (rows.next()) {
        plan.append(rows.getString(1)).append('\n');
      }
    }
    assertThat(plan.toString()).contains("cases_by_workflow");
  }
}
