package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.MigrationResult;
import dev.damask.caller.PendingTask;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.store.MemoryStore;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// New versions of a workflow under cases that wait.
@Timeout(20)
final class MigrateTest {
  private final MemoryStore store = new MemoryStore();

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(20));
  }

  @Test
  void a_case_goes_on_in_the_new_version_also_after_a_restart_with_that_version_alone()
      throws Exception {
    var old = workflow("w", scope("R", par(effect("ask"), defer(on("go", effect("tell"))))));
    var renamed =
        workflow(
            "w",
            scope("S", par(effect("question"), defer(on("go", effect("tell"))))),
            task("added", c -> c.with("added", true)));
    EffectId pending;
    try (var engine = Engine.open(options(), store, old)) {
      pending = engine.start(old, "one", Context.empty()).status().tasks().getFirst().id();
      var mapping = Mapping.NONE.task("ask", "question").scope("R", "S");

      MigrationResult moved = engine.migrate("one", renamed, mapping);
      assertThat(moved).isEqualTo(new MigrationResult.Moved(engine.status("one").revision()));
      assertThat(moved.revision()).isGreaterThan(1);
      assertThat(engine.status("one").tasks())
          .extracting(PendingTask::task)
          .containsExactly("question");
    }
    try (var engine = Engine.open(options(), store.reopened(), renamed)) {
      assertThat(engine.completeTask("one", pending, Map.of("answer", 1)).kind())
          .isEqualTo(Reply.ACCEPTED);
      engine.signal("one", "go", Map.of());
      EffectId tell = engine.status("one").tasks().getFirst().id();
      engine.completeTask("one", tell, Map.of());

      assertThat(engine.await("one"))
          .isEqualTo(new CaseResult.Completed<>(Context.of("answer", 1, "added", true)));
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void a_case_that_cannot_go_stays_as_it_was_with_the_reasons() throws Exception {
    var old = workflow("w", effect("ask"));
    var other = workflow("w", effect("something else"));
    try (var engine = Engine.open(options(), store, old)) {
      engine.start(old, "one", Context.empty());
      CaseView before = engine.status("one");

      assertThat(engine.migrate("one", other, Mapping.NONE))
          .isInstanceOfSatisfying(
              MigrationResult.Refused.class,
              refused -> assertThat(refused.reasons().getFirst()).contains("ask"));
      assertThat(engine.status("one")).isEqualTo(before);
      engine.completeTask("one", before.tasks().getFirst().id(), Map.of());
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.migrate("one", other, Mapping.NONE))
          .isEqualTo(
              new MigrationResult.Refused(
                  List.of("the case has ended; only a waiting case can be migrated"),
                  engine.status("one").revision()));
    }
  }
}
