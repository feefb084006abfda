package dev.damask.cases;

import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.family.ChildCase;
import dev.damask.ops.KeptCases;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.task.ChildTemplate;
import dev.damask.task.TaskOptions;
import dev.damask.term.Schedule;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Ids that begin with `session:` or `registry:` belong to orchestrations. A user's case with such
/// an id would take the number of a later session.
@Timeout(30)
final class ReservedIdsTest {
  private static final WorkflowDefinition QUICK = workflow("quick", skip());
  private static final EngineOptions OPTIONS = EngineOptions.defaults().withShards(1);

  private final MemoryStore store = new MemoryStore();

  private static void isReserved(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is reserved");
  }

  private static List<RowChange> session(String owner, long number) {
    return List.of(
        new RowChange.Put(new TableRow(KeptCases.SESSION_ROW, owner, number, Bytes.of())));
  }

  @ParameterizedTest
  @ValueSource(strings = {"session:eve:9", "session:", "session:x", "registry:graph:g"})
  void no_user_gives_a_new_case_an_id_of_an_orchestration(String id) throws Exception {
    try (Engine engine = Engine.open(OPTIONS, store, QUICK)) {
      engine.start(QUICK, "one", Context.empty()).join();
      long last = engine.history("one").positions().getFirst().number();

      isReserved(() -> engine.start(QUICK, id, Context.empty()));
      isReserved(() -> engine.startAsync(QUICK, id, Context.empty()));
      isReserved(() -> engine.startAgain("one", id));
      isReserved(() -> engine.startAgain("one", id, last));
      assertThat(store.ids("")).containsExactly("one");
    }
  }

  @Test
  void a_session_starts_together_with_its_own_row_only() {
    try (Engine engine = Engine.open(OPTIONS, store, QUICK)) {
      for (List<RowChange> rows :
          List.of(session("eve", 8), session("bob", 9), List.<RowChange>of())) {
        isReserved(() ->
            engine.startAsync(QUICK, "session:eve:9", Context.empty(), CaseOptions.DEFAULT, rows));
      }

      assertThat(
              engine
                  .startAsync(
                      QUICK,
                      "session:eve:9",
                      Context.empty(),
                      CaseOptions.DEFAULT,
                      session("eve", 9))
                  .join()
                  .isNew())
          .isTrue();
    }
  }

  /// The request of a child.
  private record Quick(String workflow) implements ChildTemplate {
    @Override
    public EffectSpec specFor(Context context) {
      return new EffectSpec(TYPE, Context.of(WORKFLOW, workflow), null);
    }

    @Override
    public String text() {
      return "child quick";
    }
  }

  @Test
  void a_task_with_a_child_of_such_an_id_fails() throws Exception {
    ChildCase child = new ChildCase(QUICK, c -> c, c -> c, c -> "session:eve:9", false);
    WorkflowDefinition parent =
        workflow(
            "parent",
            new Term.Task(
                "run", new Term.Work.Effect(new Quick("quick"), child), TaskOptions.DEFAULT, null));
    try (Engine engine = Engine.open(OPTIONS, store, parent, QUICK)) {
      CaseResult<Context> end = engine.start(parent, "p", Context.empty()).await();

      assertThat(end)
          .isInstanceOfSatisfying(
              CaseResult.Failed.class,
              failed -> {
                assertThat(failed.error().reason()).isEqualTo(ChildCase.REASON);
                assertThat(failed.error().detail()).contains("is reserved");
              });
      assertThat(store.ids("")).containsExactly("p");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"session", "registry"})
  void the_ids_of_scheduled_cases_begin_with_the_name_of_the_schedule(String name) {
    try (Engine engine = Engine.open(OPTIONS, store, QUICK)) {
      isReserved(() ->
          engine
              .schedules()
              .put(name, Schedule.every(Duration.ofHours(1)), QUICK, Context.empty()));
    }
  }
}
