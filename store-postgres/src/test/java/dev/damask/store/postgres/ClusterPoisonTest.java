package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.store.CaseStatus;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A case that kills each process that resumes it.
@Timeout(300)
final class ClusterPoisonTest {
  private static final int INNOCENT = 3;

  private final TestNodes nodes = new TestNodes();
  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void close() {
    processes.forEach(Process::destroyForcibly);
    nodes.close();
  }

  /// Replaces processes that have died. Returns how many.
  private int replaceDead() {
    int dead = (int) processes.stream().filter(each -> !each.isAlive()).count();
    processes.removeIf(each -> !each.isAlive());
    while (processes.size() < 2) {
      processes.add(NodeProcess.start(nodes.options, ClusterProcessesTest.url()));
    }
    return dead;
  }

  /// Cases that the owner of another one owns.
  private List<String> casesBeside(String caseId) {
    List<String> found =
        nodes.query(
            "select id from (select 'slow-' || i as id from generate_series(1, 100) i) ids"
                + " where (select owner from @.slot where slot = @.damask_slot(id)) ="
                + " (select owner from @.slot where slot = @.damask_slot('%s'))".formatted(caseId));
    return found.subList(0, INNOCENT);
  }

  @Test
  void a_case_that_kills_its_nodes_is_quarantined_and_the_others_are_resumed() throws Exception {
    nodes.execute("create table @.paid (case_id text)");
    replaceDead();
    nodes.awaitBalance(2);
    Engine client = nodes.client(NodeProcess.workflows());
    List<String> innocent = casesBeside("poison");
    innocent.forEach(id -> client.start(NodeProcess.SLOW, id, Context.empty()));
    var _ = client.startAsync(NodeProcess.POISON, "poison", Context.empty());

    int[] deaths = {0};
    TestNodes.await(
        () -> {
          deaths[0] += replaceDead();
          return !nodes
              .query("select 1 from @.cases where case_id = 'poison' and status = 3")
              .isEmpty();
        },
        () -> deaths[0] + " deaths " + nodes.query("select * from @.suspects"));

    assertThat(deaths[0]).as("halvings and three deaths alone").isBetween(4, 7);
    assertThat(client.status("poison").status()).isEqualTo(CaseStatus.QUARANTINED);
    assertThat(client.status("poison").report())
        .containsExactly("3 nodes died while it was the only case that they resumed");
    for (String id : innocent) {
      assertThat(client.await(id, Duration.ofSeconds(60)).orElseThrow())
          .isInstanceOf(CaseResult.Completed.class);
    }
    TestNodes.await(
        () -> nodes.query("select 1 from @.suspects").isEmpty(),
        () -> nodes.query("select * from @.suspects").toString());
    assertThat(processes).allMatch(Process::isAlive);
    assertThat(client.verify()).isEmpty();
  }
}
