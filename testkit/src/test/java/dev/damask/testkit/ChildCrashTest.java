package dev.damask.testkit;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.set;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.family.ChildCase;
import dev.damask.store.CaseStatus;
import dev.damask.task.ChildTemplate;
import dev.damask.task.Expression;
import dev.damask.task.TaskOptions;
import dev.damask.term.InstancePolicy;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// Parents and children under a crash at every commit.
final class ChildCrashTest {
  private static final WorkflowDefinition BILLING =
      workflow(
          "billing",
          scope(
              "bill",
              ScopeOptions.undoing(),
              effect("charge").undo(effect("refund")),
              defer(on("paid", skip()))),
          set("invoice", Expression.constant("i-1")));

  private static Term child(String name, WorkflowDefinition workflow) {
    return ChildCase.task(name, workflow);
  }

  private static ScopeOptions caught(Term handler) {
    return ScopeOptions.catching(handler);
  }

  /// A task whose child has the id that the context has under `id`.
  static Term.Task given(String name, WorkflowDefinition workflow, boolean isDetached) {
    ChildCase work =
        new ChildCase(
            workflow,
            Function.identity(),
            Function.identity(),
            context -> String.valueOf(context.get("id")),
            isDetached);
    ChildTemplate template =
        new ChildTemplate() {
          @Override
          public String workflow() {
            return workflow.name();
          }

          @Override
          public EffectSpec specFor(Context context) {
            return EffectSpec.of(TYPE);
          }

          @Override
          public String text() {
            return "given " + isDetached;
          }
        };
    return new Term.Task(name, new Term.Work.Effect(template, work), TaskOptions.DEFAULT, null);
  }

  private static TestEngine answering(TestEngine test) {
    for (String task : new String[] {"charge", "refund", "ship"}) {
      test.when(task, Answer.of(task, "done"));
    }
    return test;
  }

  @Test
  void a_child_is_started_once_and_its_result_arrives_once_whenever_the_process_dies() {
    WorkflowDefinition order =
        workflow("order", par(child("invoice", BILLING), effect("ship")), effect("charge"));

    CrashTest.Report report =
        CrashTest.atEveryPairOfCommits(test -> {
          TestCase parent = answering(test).start(order, "o");
          TestCase invoice = parent.child("invoice", BILLING);
          assertThat(parent.family().children()).hasSize(1);
          invoice.signal("paid");
          CaseAssert.assertThat(parent).hasCompleted();
          assertThat(parent.view().context().get("invoice")).isEqualTo("i-1");
          assertThat(invoice.family().parent().orElseThrow().caseId()).isEqualTo("o");
        });

    assertThat(report.crashes()).isGreaterThan(report.commits());
  }

  @Test
  void the_cancellation_of_the_parent_undoes_the_child_whenever_the_process_dies() {
    WorkflowDefinition order = workflow("order", child("invoice", BILLING));

    CrashTest.atEveryPairOfCommits(test -> {
      TestCase parent = answering(test).start(order, "o");
      TestCase invoice = parent.child("invoice", BILLING);
      parent.cancel();
      assertThat(invoice.view().status()).isEqualTo(CaseStatus.CANCELLED);
      assertThat(invoice.calls("refund")).isNotEmpty();
      assertThat(parent.view().status()).isEqualTo(CaseStatus.CANCELLED);
    });
  }

  @Test
  void a_timeout_of_the_task_cancels_the_child_whenever_the_process_dies() {
    WorkflowDefinition order =
        workflow(
            "order",
            scope(
                "late",
                caught(set("gave", Expression.constant("up"))),
                ChildCase.task("invoice", BILLING).timeout(Duration.ofHours(1))));

    CrashTest.atEveryCommit(test -> {
      TestCase parent = answering(test).start(order, "o");
      TestCase invoice = parent.child("invoice", BILLING);
      test.advance(Duration.ofHours(2));
      assertThat(invoice.view().status()).isEqualTo(CaseStatus.CANCELLED);
      assertThat(parent.view().context().get("gave")).isEqualTo("up");
    });
  }

  @Test
  void every_instance_has_its_own_child_whenever_the_process_dies() {
    WorkflowDefinition quick = workflow("quick", effect("charge"));
    WorkflowDefinition order =
        workflow("order", instances("m", InstancePolicy.fixed(3), child("each", quick)));

    CrashTest.Report report =
        CrashTest.atEveryCommit(test -> {
          TestCase parent = answering(test).start(order, "o");
          CaseAssert.assertThat(parent).hasCompleted();
          assertThat(parent.family().children()).hasSize(3);
        });

    assertThat(report.commits()).isGreaterThan(5);
  }

  @Test
  void a_child_that_fails_fails_its_task_with_the_reason_child() {
    WorkflowDefinition broken = workflow("broken", effect("charge"), fail("no money"));
    WorkflowDefinition order =
        workflow(
            "order",
            scope(
                "try", caught(set("caught", Expression.constant(true))), child("invoice", broken)));

    CrashTest.atEveryCommit(test -> {
      TestCase parent = answering(test).start(order, "o");
      CaseAssert.assertThat(parent).hasCompleted();
      assertThat(String.valueOf(parent.view().context().get("error")))
          .contains("reason=child")
          .contains("no money");
    });
  }

  @Test
  void a_detached_child_goes_on_without_its_parent_whenever_the_process_dies() {
    WorkflowDefinition order = workflow("order", given("invoice", BILLING, true), effect("ship"));

    CrashTest.atEveryPairOfCommits(test -> {
      TestCase parent = answering(test).start(order, "o", Context.of("id", "invoice-7"));
      TestCase invoice = parent.child("invoice", BILLING);
      CaseAssert.assertThat(parent).hasCompleted();
      assertThat(invoice.caseId()).isEqualTo("invoice-7");
      assertThat(invoice.view().status()).isEqualTo(CaseStatus.WAITING);
      invoice.signal("paid");
      CaseAssert.assertThat(invoice).hasCompleted();
    });
  }

  @Test
  void an_id_that_another_parent_has_taken_fails_the_task() {
    WorkflowDefinition order = workflow("order", given("invoice", BILLING, false));

    CrashTest.atEveryCommit(test -> {
      TestCase first = answering(test).start(order, "o-1", Context.of("id", "invoice-7"));
      TestCase second = test.start(order, "o-2", Context.of("id", "invoice-7"));
      assertThat(second.view().failure().orElseThrow().reason()).isEqualTo("id_taken");
      first.child("invoice", BILLING).signal("paid");
      CaseAssert.assertThat(first).hasCompleted();
    });
  }
}
