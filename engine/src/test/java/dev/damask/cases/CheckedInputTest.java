package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.family.ChildCase;
import dev.damask.store.CaseQuery;
import dev.damask.store.MemoryStore;
import dev.damask.task.ChildTemplate;
import dev.damask.task.TaskOptions;
import dev.damask.term.Declared;
import dev.damask.term.Schedule;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The input that a workflow declares is checked however a case starts.
@Timeout(30)
final class CheckedInputTest {
  private static final WorkflowDefinition BILLING =
      workflow("billing", effect("bill"))
          .withDeclared(
              new Declared(
                  List.of(),
                  context -> context.has("price") ? List.of() : List.of("price: missing"),
                  _ -> List.of()));

  private final MemoryStore store = new MemoryStore();

  private Engine open(WorkflowDefinition... workflows) {
    return Engine.open(EngineOptions.defaults().withShards(2), store, workflows);
  }

  @Test
  void a_task_whose_child_does_not_accept_its_input_fails_and_starts_no_case() throws Exception {
    WorkflowDefinition parent = workflow("parent", ChildCase.task("invoice", BILLING));
    try (Engine engine = open(parent)) {
      engine.start(parent, "p", Context.empty());

      assertThat(engine.await("p").toString())
          .contains("expression")
          .contains("the context does not fit 'input': price: missing");
      assertThat(engine.list(CaseQuery.ALL).cases()).hasSize(1);

      engine.start(parent, "q", Context.of("price", 7));
      assertThat(engine.family("q").children()).hasSize(1);
    }
  }

  @Test
  void a_child_whose_workflow_the_parent_does_not_know_is_checked_where_it_starts()
      throws Exception {
    WorkflowDefinition parent = workflow("parent", named("billing"));
    try (Engine engine = open(parent)) {
      engine.start(parent, "p", Context.empty());
      engine.register(BILLING);

      assertThat(engine.await("p"))
          .isInstanceOfSatisfying(
              CaseResult.Failed.class,
              end -> assertThat(end.toString()).contains("price: missing"));
      assertThat(engine.list(CaseQuery.ALL).cases()).hasSize(1);
    }
  }

  private static Term.Task named(String workflow) {
    ChildTemplate template =
        new ChildTemplate() {
          @Override
          public String workflow() {
            return workflow;
          }

          @Override
          public EffectSpec specFor(Context context) {
            return new EffectSpec(TYPE, Context.of(WORKFLOW, workflow), null);
          }

          @Override
          public String text() {
            return "child " + workflow;
          }
        };
    return new Term.Task(workflow, new Term.Work.Effect(template, null), TaskOptions.DEFAULT, null);
  }

  @Test
  void a_schedule_with_an_input_that_its_workflow_does_not_accept_is_refused() {
    Schedule daily = Schedule.every(Duration.ofDays(1));
    try (Engine engine = open(BILLING)) {
      assertThatThrownBy(() -> engine.schedules().put("nightly", daily, BILLING, Context.empty()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("schedule nightly: the context does not fit 'input': price: missing");
      assertThat(engine.schedules().list()).isEmpty();

      engine.schedules().put("nightly", daily, BILLING, Context.of("price", 7));
      assertThat(engine.schedules().list()).hasSize(1);
    }
  }

  @Test
  void a_case_is_not_started_again_in_a_version_that_does_not_accept_its_input() {
    WorkflowDefinition before = workflow("billing", effect("bill"));
    try (Engine engine = open(before)) {
      engine.start(before, "one", Context.empty());
      engine.register(
          workflow("billing", effect("bill"), effect("send")).withDeclared(BILLING.declared()));

      assertThatThrownBy(() -> engine.startAgain("one", "two"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("price: missing");
    }
  }
}
