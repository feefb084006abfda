package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.caller.MigrationResult;
import dev.damask.event.Mapping;
import dev.damask.ops.MigrationPlan;
import dev.damask.ops.MigrationProgress;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Moving the cases of a version in Java whose code is not there any more.
@Timeout(30)
final class DescribedMigrationTest {
  private final MemoryStore store = new MemoryStore();
  private final WorkflowDefinition next =
      workflow(
          "order",
          task("price", context -> context.with("price", 42)),
          effect("pack"),
          defer(on("approved", effect("mail"))),
          task("sign", context -> context.with("signed", true)));
  private ProgramHash old;

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(20));
  }

  @BeforeEach
  void cases_of_the_old_version() {
    var first =
        workflow(
            "order",
            task("price", context -> context.with("price", 42)),
            effect("pack"),
            defer(on("approved", effect("mail"))));
    try (var engine = Engine.open(options(), store)) {
      for (int i = 0; i < 5; i++) {
        engine.start(first, "c" + i, Context.empty());
      }
      old = engine.status("c0").program();
      engine.completeTask("c4", "pack", Map.of());
    }
  }

  @Test
  void a_description_is_never_registered_as_the_code_of_its_program() {
    try (var engine = Engine.open(options(), store.reopened())) {
      WorkflowDefinition described = engine.described(old).orElseThrow();

      assertThatThrownBy(() -> engine.register(described))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("workflow order: this is the description of program " + old);
      assertThatThrownBy(() -> engine.start(described, "new", Context.empty()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> engine.migrate("c0", described, Mapping.NONE))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(engine.missingPrograms()).hasSize(1);
      assertThat(engine.status("c0").status()).isEqualTo(CaseStatus.WAITING);
    }
  }

  @Test
  void a_plan_and_a_dry_run_need_only_the_description_and_change_nothing() {
    try (var engine = Engine.open(options(), store.reopened(), next)) {
      ProgramHash to = engine.current("order").orElseThrow().hash();

      for (MigrationPlan plan :
          new MigrationPlan[] {
            engine.migrations().plan(old, to, Mapping.NONE),
            engine.migrations().plan(engine.described(old).orElseThrow(), next)
          }) {
        MigrationProgress tried = plan.dryRun();

        assertThat(plan.parts()).noneMatch(MigrationPlan.Part::isLost);
        assertThat(tried.moved()).as(tried.reasons().toString()).isEqualTo(5);
      }
      assertThat(engine.current("order").orElseThrow().hash()).isEqualTo(to);
      assertThat(engine.missingPrograms()).hasSize(1);
      assertThat(engine.status("c0").program()).isEqualTo(old);
    }
  }

  @Test
  void cases_without_their_code_move_to_a_version_that_has_it_and_continue() throws Exception {
    try (var engine = Engine.open(options(), store.reopened())) {
      engine.signal("c1", "approved", Map.of()); // kept until there is code
    }
    try (var engine = Engine.open(options(), store.reopened(), next)) {
      ProgramHash to = engine.current("order").orElseThrow().hash();

      assertThat(engine.migrations().move("c4", to, Mapping.NONE))
          .isInstanceOf(MigrationResult.Moved.class);
      MigrationProgress moved = engine.migrations().plan(old, to, Mapping.NONE).run(2);

      assertThat(moved.toString()).isEqualTo("4 moved, 0 refused");
      engine.completeTask("c1", "pack", Map.of());
      engine.completeTask("c1", "mail", Map.of());
      assertThat(engine.await("c1"))
          .isInstanceOfSatisfying(
              CaseResult.Completed.class,
              end -> assertThat(((Context) end.result()).get("signed")).isEqualTo(true));
      assertThat(engine.missingPrograms()).isEmpty();
      assertThat(engine.verify()).isEmpty();
    }
    try (var engine = Engine.open(options(), store.reopened(), next)) {
      engine.signal("c4", "approved", Map.of());
      engine.completeTask("c4", "mail", Map.of());
      assertThat(engine.await("c4")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void a_case_without_its_code_that_cannot_move_stays_as_it_is() {
    var other = workflow("order", effect("unpack"));
    try (var engine = Engine.open(options(), store.reopened(), other)) {
      ProgramHash to = engine.current("order").orElseThrow().hash();

      assertThat(engine.migrations().move("c0", to, Mapping.NONE))
          .isInstanceOf(MigrationResult.Refused.class);

      assertThat(engine.status("c0").program()).isEqualTo(old);
      assertThatThrownBy(() -> engine.completeTask("c0", "pack", Map.of()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("open the engine with that workflow");
    }
  }

  @Test
  void cases_are_tried_but_not_moved_to_a_version_without_code() {
    ProgramHash to;
    try (var engine = Engine.open(options(), store.reopened(), next)) {
      to = engine.current("order").orElseThrow().hash();
    }
    try (var engine = Engine.open(options(), store.reopened())) {
      MigrationPlan plan = engine.migrations().plan(old, to, Mapping.NONE);

      assertThat(plan.dryRun().moved()).isEqualTo(5);
      assertThatThrownBy(() -> plan.run(10))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("register its workflow before cases are moved to it");
      assertThat(engine.status("c0").program()).isEqualTo(old);

      engine.register(next); // what was tried has left nothing behind
      assertThat(plan.run(10).moved()).isEqualTo(5);
    }
  }
}
