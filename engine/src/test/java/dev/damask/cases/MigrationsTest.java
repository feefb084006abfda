package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.event.Mapping;
import dev.damask.ops.MigrationPlan;
import dev.damask.ops.MigrationProgress;
import dev.damask.program.ProgramHash;
import dev.damask.store.MemoryStore;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Moving all cases of a version.
@Timeout(30)
final class MigrationsTest {
  private final MemoryStore store = new MemoryStore();

  private static Term.Task task(String name) {
    return effect(name, _ -> EffectSpec.of(name), null);
  }

  private static WorkflowDefinition old() {
    return workflow("order", task("check"), defer(on("approved", task("ship"))));
  }

  private static WorkflowDefinition next() {
    return workflow("order", task("check"), defer(on("approved", task("ship"))), task("invoice"));
  }

  private static ProgramHash program(Engine engine, String caseId) {
    return engine.status(caseId).program();
  }

  @Test
  void a_plan_says_what_becomes_of_each_part() {
    var renamed = workflow("order", task("check"), defer(on("accepted", task("dispatch"))));
    try (var engine = Engine.open(EngineOptions.defaults(), store)) {
      MigrationPlan plan = engine.migrations().plan(old(), renamed);

      assertThat(plan.parts())
          .extracting(MigrationPlan.Part::toString)
          .contains(
              "task check at do[0]: becomes do[0]",
              "place approved at places.approved: refused; the new version has no such place"
                  + " there; if it was renamed, the mapping must name both",
              "place accepted at places.accepted: new")
          .anyMatch(line -> line.startsWith("wait at do[1]: refused"))
          .anyMatch(line -> line.startsWith("task ship") && line.contains("refused"));

      Mapping mapping = Mapping.NONE.place("approved", "accepted").task("ship", "dispatch");
      MigrationPlan mapped = engine.migrations().plan(old(), renamed, mapping);
      assertThat(mapped.parts()).noneMatch(MigrationPlan.Part::isLost);
      assertThat(mapped.toString()).contains("place approved at places.approved: becomes");
    }
  }

  @Test
  void nonsense_is_refused() {
    try (var engine = Engine.open(EngineOptions.defaults(), store)) {
      assertThatThrownBy(() -> engine.migrations().plan(old(), old()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("both versions have the program");
      assertThatThrownBy(
              () -> engine.migrations().plan(old(), next(), Mapping.NONE.place("aproved", "x")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("place aproved");
    }
  }

  @Test
  void a_dry_run_changes_nothing_and_counts_who_can_go_and_why_others_cannot() {
    WorkflowDefinition old = old();
    WorkflowDefinition other = workflow("order", task("verify"), defer(on("approved", skip())));
    try (var engine = Engine.open(EngineOptions.defaults(), store, old)) {
      for (int i = 0; i < 30; i++) {
        engine.start(old, "c" + i, Context.empty());
        if (i < 10) {
          engine.completeTask("c" + i, "check", Map.of());
        }
      }
      ProgramHash before = program(engine, "c0");

      MigrationProgress progress = engine.migrations().plan(old, other).dryRun();

      assertThat(progress.moved()).isEqualTo(10);
      assertThat(progress.refused()).isEqualTo(20);
      assertThat(progress.isComplete()).isTrue();
      assertThat(progress.examples()).hasSize(MigrationProgress.EXAMPLES_MAX);
      assertThat(progress.reasons()).hasSize(1);
      assertThat(progress.reasons().values()).containsExactly(20L);
      assertThat(progress.reasons().keySet().iterator().next()).contains("task check");
      assertThat(program(engine, "c0")).isEqualTo(before);
    }
  }

  @Test
  void all_cases_move_in_batches_with_progress_and_the_run_can_be_stopped_and_repeated()
      throws Exception {
    WorkflowDefinition old = old();
    WorkflowDefinition next = next();
    try (var engine = Engine.open(EngineOptions.defaults(), store, old)) {
      for (int i = 0; i < 25; i++) {
        engine.start(old, "c" + i, Context.empty());
      }
      ProgramHash before = program(engine, "c0");
      MigrationPlan plan = engine.migrations().plan(old, next);
      List<Long> seen = new ArrayList<>();

      MigrationProgress stopped =
          plan.run(
              10,
              progress -> {
                seen.add(progress.moved());
                return progress.moved() < 20;
              });

      assertThat(stopped.isComplete()).isFalse();
      assertThat(stopped.moved()).isEqualTo(20);
      assertThat(seen).containsExactly(10L, 20L);
      MigrationProgress rest = plan.run(10);
      assertThat(rest.moved()).isEqualTo(5);
      assertThat(rest.isComplete()).isTrue();
      for (int i = 0; i < 25; i++) {
        assertThat(program(engine, "c" + i)).isEqualTo(plan.to()).isNotEqualTo(before);
      }
      engine.completeTask("c7", "check", Map.of());
      engine.signal("c7", "approved", Map.of());
      engine.completeTask("c7", "ship", Map.of());
      engine.completeTask("c7", "invoice", Map.of());
      assertThat(engine.await("c7")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void cases_that_are_paused_or_quarantined_are_counted_as_refused_with_the_reason() {
    WorkflowDefinition old = old();
    EngineOptions options = EngineOptions.defaults().withShards(1);
    try (var engine = Engine.open(options, store, old)) {
      for (int i = 0; i < 4; i++) {
        engine.start(old, "c" + i, Context.empty());
      }
      engine.pause("c1", "a look");
      MigrationPlan plan = engine.migrations().plan(old, next());

      for (MigrationProgress progress : List.of(plan.dryRun(), plan.run(2))) {
        assertThat(progress.moved()).isEqualTo(3);
        assertThat(progress.refused()).isEqualTo(1);
        assertThat(progress.examples())
            .containsEntry("c1", List.of("the case is paused; resume it first"));
      }
      assertThat(program(engine, "c1")).isEqualTo(plan.from());
    }
  }
}
