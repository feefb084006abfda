package dev.damask.testkit;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.exponential;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static dev.damask.testkit.CaseAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.event.Reply;
import dev.damask.ops.MigrationPlan;
import dev.damask.task.Expression;
import dev.damask.task.TaskOptions;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// The engine of the test kit: virtual time, scripted effects, crashes, assertions with a trace.
final class TestEngineTest {
  private static final WorkflowDefinition APPROVAL =
      workflow(
          "approval",
          defer(on("approved", effect("ship")), after(Duration.ofDays(2), fail("no decision"))));

  private final TestEngine test = TestEngine.open();

  @TestFactory
  Stream<DynamicTest> scenarios() {
    return Scenarios.tests(Path.of("..", "scenarios")).limit(5);
  }

  @Test
  void two_days_pass_when_the_test_says_so() {
    TestCase run = test.start(APPROVAL, "a");

    test.advance(Duration.ofHours(47));
    assertThat(run).isWaitingFor("approved");
    test.advance(Duration.ofHours(1));

    assertThat(run).hasFailed("no decision").hasCalled("ship", 0);
    assertThat(test.elapsed()).isEqualTo(Duration.ofDays(2));
  }

  @Test
  void answers_follow_each_other_and_the_last_one_stays() {
    test.when("pay", Answer.failing("busy"), Answer.failing("busy"), Answer.of("paid", 42));
    TestCase run = test.start(workflow("pay", effect("pay").retry(exponential(5))), "a");

    test.advance(Duration.ofMinutes(5));

    assertThat(run).hasCompleted().hasResult("paid", 42).hasCalled("pay", 3).hasPerformed("pay", 1);
  }

  @Test
  void an_answer_that_never_comes_and_one_that_comes_late() {
    test.when("never", Answer.never());
    test.when("late", Answer.ok().after(Duration.ofHours(3)));
    TestCase never = test.start(workflow("n", effect("never")), "never");
    TestCase late = test.start(workflow("l", effect("late")), "late");

    test.advance(Duration.ofHours(2));
    assertThat(late).isWaitingFor("late");
    test.advance(Duration.ofHours(1));

    assertThat(late).hasCompleted();
    assertThat(never).isWaitingFor("never");
  }

  @Test
  void a_crash_loses_nothing_and_sends_again_what_was_not_answered() {
    test.when("ship", Answer.ok().after(Duration.ofMinutes(1)));
    TestCase run = test.start(APPROVAL, "a").signal("approved", Map.of("by", "eve"));

    test.crash();
    test.advance(Duration.ofMinutes(1));

    assertThat(run).hasCompleted().hasCalled("ship", 2).hasPerformed("ship", 1);
    assertThat(run).hasResult("by", "eve");
    var first = run.calls("ship").getFirst();
    var again = run.calls("ship").getLast();
    assertThat(again.withTerms(first.terms())).isEqualTo(first);
    assertThat(again.epoch()).isGreaterThan(first.epoch());
  }

  @Test
  void a_task_that_nobody_answers_is_completed_by_hand() {
    TestCase run = test.start(workflow("human", effect("look")), "a");
    assertThat(run).isWaitingFor("look");

    run.completeTask("look", Map.of("seen", true));

    assertThat(run).hasCompleted().hasResult("seen", true);
    assertThat(run.reply()).contains(Reply.ACCEPTED);
    assertThatThrownBy(() -> run.failTask("look", "too late"))
        .hasMessageContaining("task look does not wait");
  }

  @Test
  void an_assertion_that_fails_prints_the_trace() {
    test.when("ship", Answer.of(Context.of("parcel", 7)));
    TestCase run = test.start(APPROVAL, "a").signal("approved");

    assertThatThrownBy(() -> assertThat(run).hasFailed("no decision"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("expected status FAILED, found COMPLETED")
        .hasMessageContaining("TASK-EFFECT")
        .hasMessageContaining("ship");
    assertThatThrownBy(() -> assertThat(run).hasResult("parcel", 8))
        .hasMessageContaining("expected parcel = 8, found 7");
    assertThatThrownBy(() -> assertThat(run).hasCalled("ship", 2))
        .hasMessageContaining("expected 2 calls of ship, found 1");
    assertThatThrownBy(() -> assertThat(run).isWaitingFor("approved"))
        .hasMessageContaining("expected status WAITING, found COMPLETED");
  }

  @Test
  void an_effect_with_a_key_of_the_user_is_performed_once_for_all_cases() {
    test.when("pay", Answer.of("paid", 1), Answer.of("paid", 2));
    WorkflowDefinition keyed =
        workflow(
            "keyed",
            effect("pay").with(TaskOptions.DEFAULT.withKey(Expression.constant("invoice-7"))));

    TestCase first = test.start(keyed, "a");
    TestCase second = test.start(keyed, "b");

    assertThat(first).hasCompleted().hasResult("paid", 1).hasCalled("pay", 1);
    assertThat(second).hasCompleted().hasResult("paid", 1).hasCalled("pay", 0);
  }

  @Test
  void a_scenario_that_fails_says_where_and_prints_the_trace(@TempDir Path folder)
      throws Exception {
    Path file = folder.resolve("wrong.yaml");
    Files.write(
        file,
        List.of(
            "scenario: wrong",
            "title: it waits",
            "workflow: {workflow: w, do: {task: A}}",
            "steps: [{start: true, see: ['A#1+']}]",
            "end: {status: completed}"));
    DynamicTest only = Scenarios.tests(folder).findFirst().orElseThrow();

    assertThatThrownBy(() -> only.getExecutable().execute())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("expected status completed, actual status waiting")
        .hasMessageContaining("TASK-EFFECT");
  }

  @Test
  void a_folder_without_scenarios_is_an_error(@TempDir Path folder) {
    assertThatThrownBy(() -> Scenarios.tests(folder)).hasMessageContaining("no scenario found");
  }

  @Test
  void waiting_cases_migrate_to_a_new_version() {
    WorkflowDefinition old = workflow("order", effect("check"), defer(on("go", skip())));
    WorkflowDefinition next =
        workflow("order", effect("check"), defer(on("go", skip())), effect("mail"));
    TestEngine test = TestEngine.open();
    TestCase first = test.start(old, "one");
    test.start(old, "two");

    MigrationPlan plan = test.migrations().plan(old, next);
    assertThat(plan.parts()).noneMatch(MigrationPlan.Part::isLost);
    assertThat(plan.dryRun().moved()).isEqualTo(2);
    assertThat(plan.run(1).moved()).isEqualTo(2);

    first.completeTask("check", Map.of());
    first.signal("go");
    assertThat(first).isWaitingFor("mail");
  }
}
