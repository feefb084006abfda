package dev.damask.testkit;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.task.Delivery;
import dev.damask.task.TaskOptions;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// What a crash test finds, and what it lets pass.
final class CrashTestTest {
  private static final WorkflowDefinition ORDER =
      workflow(
          "order",
          par(effect("charge").undo(effect("refund")), effect("reserve").undo(effect("release"))),
          defer(on("approved", effect("ship")), after(Duration.ofDays(2), fail("no decision"))));

  private static TestEngine answering(TestEngine test) {
    for (String task : new String[] {"charge", "reserve", "ship", "refund", "release"}) {
      test.when(task, Answer.of(task, "done"));
    }
    return test;
  }

  @Test
  void a_workflow_with_effects_a_signal_and_an_undo_survives_a_crash_at_every_commit() {
    CrashTest.Report approved =
        CrashTest.atEveryCommit(test -> answering(test).start(ORDER, "one").signal("approved"));
    CrashTest.Report expired =
        CrashTest.atEveryPairOfCommits(test -> {
          answering(test).start(ORDER, "one");
          test.advance(Duration.ofDays(3));
        });

    assertThat(approved.commits()).isGreaterThan(3);
    assertThat(approved.crashes()).isEqualTo(2 * approved.commits());
    assertThat(expired.crashes()).isGreaterThan(4 * expired.commits());
  }

  @Test
  void a_handler_that_answers_otherwise_when_asked_again_is_found_with_the_commit() {
    assertThatThrownBy(() ->
            CrashTest.atEveryCommit(test -> {
              AtomicInteger calls = new AtomicInteger();
              test.handle("book", _ -> Context.of("ticket", calls.incrementAndGet()));
              test.start(workflow("trip", effect("book")), "one");
            }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("killed [before commit 2]")
        .hasMessageContaining("TASK-EFFECT");
  }

  @Test
  void a_task_that_remembers_something_outside_of_its_case_is_found() {
    assertThatThrownBy(() ->
            CrashTest.atEveryCommit(test -> {
              AtomicInteger runs = new AtomicInteger();
              WorkflowDefinition counting =
                  workflow("count", task("count", c -> c.with("n", runs.incrementAndGet())));
              test.start(counting, "one");
            }))
        .hasMessageContaining("killed [before commit 1]");
  }

  @Test
  void what_the_play_asserts_is_asserted_under_every_crash() {
    AtomicInteger plays = new AtomicInteger();

    CrashTest.Report report =
        CrashTest.atEveryCommit(test -> {
          plays.incrementAndGet();
          TestCase order = answering(test).start(ORDER, "one");
          CaseAssert.assertThat(order).isWaitingFor("approved");
          CaseAssert.assertThat(order.signal("approved")).hasCompleted().hasPerformed("ship", 1);
        });

    assertThat(plays).hasValue(1 + 2 * report.commits());
  }

  @Test
  void an_effect_of_at_most_once_may_end_in_doubt_but_is_not_sent_twice() {
    TaskOptions once = TaskOptions.DEFAULT.withDelivery(Delivery.AT_MOST_ONCE);
    WorkflowDefinition flow = workflow("once", effect("pay").with(once));
    AtomicInteger inDoubt = new AtomicInteger();

    CrashTest.atEveryCommit(test -> {
      TestCase pay = test.when("pay", Answer.ok()).start(flow, "one");
      assertThat(pay.calls("pay")).hasSizeLessThanOrEqualTo(1);
      inDoubt.addAndGet(pay.view().failure().isPresent() ? 1 : 0);
    });

    assertThat(inDoubt).hasPositiveValue();
  }
}
