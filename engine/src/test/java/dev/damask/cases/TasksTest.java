package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.clock.VirtualClock;
import dev.damask.event.Failure;
import dev.damask.event.Reply;
import dev.damask.ops.ClaimedTask;
import dev.damask.ops.TaskClaim;
import dev.damask.ops.TaskPage;
import dev.damask.ops.TaskQuery;
import dev.damask.ops.TaskRows;
import dev.damask.ops.Tasks;
import dev.damask.ops.WaitingTask;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.task.Delivery;
import dev.damask.task.Retry;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tasks that wait for a person or a program, and the claims of workers.
@Timeout(30)
final class TasksTest {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final Duration NOW = Duration.ZERO;

  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);

  private EngineOptions options() {
    return EngineOptions.defaults().withShards(2).withClock(clock).withGrace(Duration.ZERO);
  }

  private static WorkflowDefinition order() {
    return workflow("order", par(effect("pack"), effect("print")));
  }

  private static WorkflowDefinition pack(Delivery delivery) {
    return workflow(
        "pack", effect("pack").delivery(delivery).retry(new Retry(2, Duration.ZERO, 1.0, 0.0)));
  }

  private static ClaimedTask one(Tasks tasks, String worker) throws InterruptedException {
    return tasks.claim(worker, List.of("pack"), 1, LEASE, NOW).getFirst();
  }

  @Test
  void waiting_tasks_are_listed_by_type_workflow_and_age_in_pages() {
    try (Engine engine = Engine.open(options(), store, order())) {
      for (int i = 1; i <= 3; i++) {
        engine.start(order(), "case-" + i, Context.empty());
        clock.advance(1_000);
      }
      Tasks tasks = engine.tasks();

      assertThat(tasks.list(TaskQuery.ALL).tasks()).hasSize(6);
      TaskPage first = tasks.list(TaskQuery.ALL.withType("pack").withPage("", 2));
      assertThat(first.tasks()).extracting(WaitingTask::caseId).containsExactly("case-1", "case-2");
      TaskPage second = tasks.list(TaskQuery.ALL.withType("pack").withPage(first.next(), 2));
      assertThat(second.tasks()).extracting(WaitingTask::caseId).containsExactly("case-3");
      assertThat(second.next()).isEmpty();
      Instant before = Instant.ofEpochMilli(1_000_001);
      assertThat(tasks.list(TaskQuery.ALL.withBefore(before)).tasks()).hasSize(2);
      assertThat(tasks.list(TaskQuery.ALL.withWorkflow("other")).tasks()).isEmpty();
      assertThat(tasks.list(TaskQuery.ALL.withAssignee("ann")).tasks()).isEmpty();
      WaitingTask task = first.tasks().getFirst();
      assertThat(task.address()).isEqualTo("pack#1");
      engine.completeTask("case-1", task.id(), Map.of());
      assertThat(tasks.list(TaskQuery.ALL.withType("pack")).tasks()).hasSize(2);
      engine.cancel("case-1");
      engine.cancel("case-2");
      assertThat(tasks.list(TaskQuery.ALL).tasks()).hasSize(2);
      assertThatThrownBy(() -> tasks.list(TaskQuery.ALL.withPage("!", 1)))
          .hasMessage("not a cursor of waiting tasks: '!'");
    }
  }

  @Test
  void a_worker_claims_and_completes_a_task_and_the_case_keeps_its_revision_until_then()
      throws Exception {
    try (Engine engine = Engine.open(options(), store, pack(Delivery.KEYED))) {
      engine.start(pack(Delivery.KEYED), "one", Context.of("n", 1));
      long revision = engine.status("one").revision();
      Tasks tasks = engine.tasks();

      ClaimedTask claimed = one(tasks, "worker-1");

      assertThat(claimed.key()).isEqualTo("one:" + claimed.task().id());
      assertThat(claimed.until()).isEqualTo(Instant.ofEpochMilli(1_060_000));
      assertThat(tasks.claim("worker-2", List.of("pack"), 9, LEASE, NOW)).isEmpty();
      assertThat(engine.status("one").revision()).isEqualTo(revision);
      assertThat(tasks.workers()).extracting("name").containsExactly("worker-1", "worker-2");
      assertThat(tasks.complete(claimed.claim(), Map.of("packed", true)).kind())
          .isEqualTo(Reply.ACCEPTED);
      assertThat(((CaseResult.Completed<Context>) engine.await("one")).result().get("packed"))
          .isEqualTo(true);
      assertThat(tasks.complete(claimed.claim(), Map.of()).kind()).isEqualTo(Reply.LATE);
      assertThat(store.table().rows(TaskRows.KIND, null, 9)).isEmpty();
      assertThat(store.table().rows(TaskClaim.KIND, null, 9)).isEmpty();
    }
  }

  @Test
  void a_lease_that_ends_gives_the_task_back_and_the_late_answer_changes_nothing()
      throws Exception {
    try (Engine engine = Engine.open(options(), store, pack(Delivery.KEYED))) {
      engine.start(pack(Delivery.KEYED), "one", Context.empty());
      Tasks tasks = engine.tasks();
      ClaimedTask lost = one(tasks, "slow");
      clock.advance(30_000);
      assertThat(tasks.heartbeat(lost.claim(), LEASE)).contains(Instant.ofEpochMilli(1_090_000));
      clock.advance(60_000);
      assertThat(tasks.heartbeat(lost.claim(), LEASE)).isEmpty();

      ClaimedTask again = one(tasks, "quick");

      assertThat(tasks.complete(lost.claim(), Map.of("by", "slow")).kind()).isEqualTo(Reply.LATE);
      assertThat(tasks.release(lost.claim())).isFalse();
      assertThat(tasks.complete(again.claim(), Map.of("by", "quick")).kind())
          .isEqualTo(Reply.ACCEPTED);
      assertThat(((CaseResult.Completed<Context>) engine.await("one")).result().get("by"))
          .isEqualTo("quick");
    }
  }

  @Test
  void an_answer_after_the_end_of_the_lease_is_late_although_no_other_worker_claimed_the_task()
      throws Exception {
    try (Engine engine = Engine.open(options(), store, pack(Delivery.KEYED))) {
      engine.start(pack(Delivery.KEYED), "one", Context.empty());
      ClaimedTask lost = one(engine.tasks(), "slow");
      clock.advance(60_000);

      assertThat(engine.tasks().complete(lost.claim(), Map.of()).kind()).isEqualTo(Reply.LATE);
      assertThat(engine.tasks().list(TaskQuery.ALL).tasks()).hasSize(1);
    }
  }

  @Test
  void an_at_most_once_task_has_an_unknown_outcome_when_its_lease_ends() throws Exception {
    var flow = workflow("once", effect("pack").delivery(Delivery.AT_MOST_ONCE));
    try (Engine engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      ClaimedTask lost = one(engine.tasks(), "slow");
      clock.advance(60_000);
      assertThat(engine.tasks().claim("quick", List.of("pack"), 1, LEASE, NOW)).isEmpty();

      CaseResult<Context> result = engine.await("one");

      assertThat(result)
          .isInstanceOfSatisfying(
              CaseResult.Failed.class,
              failed -> assertThat(failed.error().reason()).isEqualTo(Failure.UNKNOWN_OUTCOME));
      assertThat(engine.tasks().complete(lost.claim(), Map.of()).kind()).isEqualTo(Reply.LATE);
    }
  }

  @Test
  void a_claim_survives_a_restart_and_a_released_task_is_claimed_again() throws Exception {
    ClaimedTask claimed;
    try (Engine engine = Engine.open(options(), store, pack(Delivery.KEYED))) {
      engine.start(pack(Delivery.KEYED), "one", Context.empty());
      claimed = one(engine.tasks(), "a");
    }
    try (Engine engine = Engine.open(options(), store.reopened(), pack(Delivery.KEYED))) {
      Tasks tasks = engine.tasks();
      assertThat(tasks.claim("b", List.of("pack"), 1, LEASE, NOW)).isEmpty();
      assertThat(tasks.release(claimed.claim())).isTrue();

      ClaimedTask again = one(tasks, "b");

      assertThat(tasks.fail(again.claim(), "broken", "no tape").kind()).isEqualTo(Reply.ACCEPTED);
      ClaimedTask second = one(tasks, "b");
      assertThat(second.attempt()).isEqualTo(2);
      assertThat(tasks.complete(again.claim(), Map.of()).kind()).isEqualTo(Reply.LATE);
      tasks.fail(second.claim(), "broken", "no tape");
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Failed.class);
    }
  }

  @Test
  void a_long_poll_returns_as_soon_as_a_task_waits() throws Exception {
    try (Engine engine = Engine.open(options(), store, pack(Delivery.KEYED))) {
      Thread starter =
          Thread.ofVirtual()
              .start(() -> engine.start(pack(Delivery.KEYED), "one", Context.empty()));

      List<ClaimedTask> claimed =
          engine.tasks().claim("w", List.of("other", "pack"), 5, LEASE, Duration.ofSeconds(20));

      starter.join();
      assertThat(claimed).hasSize(1);
    }
  }

  @Test
  void tasks_of_a_paused_case_are_not_claimed_and_an_answer_to_one_is_stored() throws Exception {
    try (Engine engine = Engine.open(options(), store, pack(Delivery.KEYED))) {
      engine.start(pack(Delivery.KEYED), "one", Context.empty());
      engine.start(pack(Delivery.KEYED), "two", Context.empty());
      ClaimedTask first = one(engine.tasks(), "w");
      engine.pause("one", "wait");
      engine.pause("two", "wait");

      assertThat(engine.tasks().claim("w", List.of("pack"), 5, LEASE, NOW)).isEmpty();
      assertThat(engine.tasks().complete(first.claim(), Map.of("packed", true)).kind())
          .isEqualTo(Reply.STORED);
      clock.advance(600_000);
      engine.resume(first.task().caseId());
      assertThat(engine.await(first.task().caseId())).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void a_task_that_an_earlier_version_stored_is_listed_when_its_case_is_resumed() {
    try (Engine engine = Engine.open(options(), store, pack(Delivery.KEYED))) {
      engine.start(pack(Delivery.KEYED), "one", Context.empty());
    }
    var row = store.table().rows(TaskRows.KIND, null, 1).getFirst();
    store.commit(CommitBatch.ofRows(List.of(new RowChange.Remove(row)))).join();
    try (Engine engine = Engine.open(options(), store.reopened(), pack(Delivery.KEYED))) {
      engine.status("one");
      while (engine.tasks().list(TaskQuery.ALL).tasks().isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(engine.tasks().list(TaskQuery.ALL).tasks()).hasSize(1);
    }
  }
}
