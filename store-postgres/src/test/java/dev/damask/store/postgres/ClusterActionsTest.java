package dev.damask.store.postgres;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.Actor;
import dev.damask.caller.CaseResult;
import dev.damask.caller.StartReply;
import dev.damask.cases.Engine;
import dev.damask.event.Reply;
import dev.damask.ops.ClaimedTask;
import dev.damask.store.AuditEntry;
import dev.damask.store.AuditRecord;
import dev.damask.store.CaseStatus;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Actions of operators on cases that another node owns, and their audit log.
@Timeout(60)
final class ClusterActionsTest {
  private static final Duration LEASE = Duration.ofMinutes(5);

  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition order =
      workflow("order", effect("ask"), take("go"), task("end", c -> c.with("end", c.get("price"))))
          .withPlaces(Place.external("go"));

  @AfterEach
  void close() {
    nodes.close();
  }

  @Test
  void a_client_pauses_changes_resumes_restarts_and_deletes_a_case() throws Exception {
    nodes.open(order);
    Engine client = nodes.client(order);
    Actor ann = Actor.named("ann");
    client.start(order, "one", Context.of("price", 1));

    assertThat(client.as(ann, e -> e.pause("one", "wait")).kind()).isEqualTo(Reply.ACCEPTED);
    assertThat(client.status("one").status()).isEqualTo(CaseStatus.PAUSED);
    assertThat(nodes.query("select status from @.case_list where case_id = 'one'"))
        .containsExactly("paused");
    assertThat(client.signal("one", "go", Map.of()).kind()).isEqualTo(Reply.STORED);
    assertThat(client.completeTask("one", "ask", Map.of()).kind()).isEqualTo(Reply.STORED);
    int token = client.status("one").tokens().getFirst().id();
    assertThat(client.as(ann, e -> e.changeData("one", token, Map.of("price", 2), "typo")).kind())
        .isEqualTo(Reply.ACCEPTED);
    assertThat(client.as(ann, e -> e.resume("one")).kind()).isEqualTo(Reply.ACCEPTED);
    CaseResult<Context> result = client.await("one");
    assertThat(((CaseResult.Completed<Context>) result).result().get("end")).isEqualTo(2L);
    assertThat(client.as(ann, e -> e.startAgain("one", "two", 1)).kind())
        .isEqualTo(StartReply.Kind.STARTED);
    assertThat(client.status("two").tasks().getFirst().key()).startsWith("two:");
    boolean isDeleted = client.as(ann, e -> e.delete("one"));
    assertThat(isDeleted).isTrue();
    assertThatThrownBy(() -> client.as(ann, e -> e.signal("one", "go", Map.of())))
        .isInstanceOf(IllegalArgumentException.class);

    List<AuditRecord> all = awaited(client, 6);
    assertThat(all.stream().map(AuditRecord::entry).map(ClusterActionsTest::line))
        .containsExactly(
            "ann pause one accepted wait",
            "ann changeData one accepted typo",
            "ann resume one accepted ",
            "ann copy two started ",
            "ann delete one done ",
            "ann signal one refused there is no case one");
    assertThat(client.audit().list(all.get(3).cursor(), 1).getFirst().entry().action())
        .isEqualTo("delete");
  }

  @Test
  void workers_at_any_node_claim_a_task_once_and_answers_go_to_the_owner() throws Exception {
    nodes.open(order);
    Engine client = nodes.client(order);
    Engine other = nodes.client(order);
    for (int i = 0; i < 6; i++) {
      client.start(order, "case-" + i, Context.empty());
    }
    long revision = client.status("case-0").revision();

    ConcurrentLinkedQueue<ClaimedTask> claimed = new ConcurrentLinkedQueue<>();
    List<Thread> workers = new ArrayList<>();
    for (Engine each : List.of(client, other, client, other)) {
      workers.add(Thread.ofPlatform().start(() -> claimed.addAll(claim(each, LEASE))));
    }
    for (Thread each : workers) {
      each.join();
    }

    assertThat(claimed.stream().map(each -> each.task().caseId()))
        .hasSize(6)
        .doesNotHaveDuplicates();
    assertThat(client.status("case-0").revision()).isEqualTo(revision);
    ClaimedTask first = claimed.element();
    assertThat(other.tasks().heartbeat(first.claim(), LEASE)).isPresent();
    assertThat(other.tasks().complete(first.claim(), Map.of("asked", true)).kind())
        .isEqualTo(Reply.ACCEPTED);
    assertThat(client.tasks().complete(first.claim(), Map.of()).kind()).isEqualTo(Reply.LATE);
    assertThat(nodes.query("select count(*) from @.claims")).containsExactly("5");
    for (ClaimedTask each : claimed) {
      client.tasks().release(each.claim());
    }
    ClaimedTask lost = claim(client, Duration.ofMillis(1)).getFirst();
    ClaimedTask again = null;
    while (again == null) {
      again =
          claim(other, LEASE).stream()
              .filter(each -> each.task().equals(lost.task()))
              .findFirst()
              .orElse(null);
    }
    assertThat(client.tasks().complete(lost.claim(), Map.of()).kind()).isEqualTo(Reply.LATE);
    assertThat(other.tasks().complete(again.claim(), Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
  }

  private static List<ClaimedTask> claim(Engine engine, Duration lease) {
    try {
      return engine.tasks().claim("w", List.of("ask"), 6, lease, Duration.ZERO);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<AuditRecord> awaited(Engine client, int count) {
    List<AuditRecord> all = client.audit().list("", 100);
    while (all.size() < count) {
      all = client.audit().list("", 100);
    }
    return all;
  }

  private static String line(AuditEntry entry) {
    return String.join(
        " ", entry.actor(), entry.action(), entry.caseId(), entry.outcome(), entry.reason());
  }
}
