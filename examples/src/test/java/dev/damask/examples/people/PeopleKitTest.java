package dev.damask.examples.people;

import static dev.damask.testkit.CaseAssert.assertThat;
import static dev.damask.typed.Steps.approval;
import static dev.damask.typed.Steps.external;
import static dev.damask.typed.Steps.workflow;

import dev.damask.effect.Approval;
import dev.damask.term.ExternalTask;
import dev.damask.term.Workflow;
import dev.damask.testkit.TestCase;
import dev.damask.testkit.TestEngine;
import dev.damask.typed.ApprovalDecision;
import dev.damask.value.Key;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Typed tasks for people in the test kit.
final class PeopleKitTest {
  record Review(int stars) {}

  private static final Key<String> ORDER = Key.of("order", String.class);
  private static final Key<Review> REVIEW = Key.of(Review.class);
  private static final Key<ApprovalDecision> DECISION = Key.of("decision", ApprovalDecision.class);
  private static final ExternalTask<Review> READ = ExternalTask.of("read", REVIEW);

  @Test
  void a_person_completes_a_task_and_an_approver_decides() {
    Workflow<String, Review> flow =
        workflow(
            "w",
            ORDER,
            REVIEW,
            external(READ, ORDER),
            approval("release", Approval.of("release?").withApprovers("eve")).as(DECISION));
    TestCase run = TestEngine.open().start(flow, "one", "order 7");

    assertThat(run).isWaitingFor("read");
    run.completeTask(READ, new Review(3));
    assertThat(run).isWaitingFor("release");
    run.decide("release", true, "eve");

    assertThat(run).hasCompleted().hasResult("review", Map.of("stars", 3L));
  }
}
