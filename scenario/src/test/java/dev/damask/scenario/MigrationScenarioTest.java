package dev.damask.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.Mapping;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.Migration;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.term.Flow;
import dev.damask.term.WorkflowDefinition;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every state that any scenario passes through can be moved: to the same text read again, and to
/// one with another task behind its end.
final class MigrationScenarioTest {
  static List<Path> scenarios() throws java.io.IOException {
    return ScenarioSuiteTest.scenarios();
  }

  private static Machine machine(WorkflowDefinition workflow) {
    Program program = Compiler.compile(workflow);
    return new Machine(
        program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
  }

  private static WorkflowDefinition read(Path file) {
    return new ScenarioReader().read(file).workflow().workflow();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void moves_to_the_same_text_without_changing_a_byte(Path file) {
    ScenarioDocument scenario = new ScenarioReader().read(file);
    Machine to = machine(read(file));
    List<String> wrong = new ArrayList<>();

    ScenarioRunner.run(
        scenario,
        ScenarioRunner.PLAIN,
        state -> {
          Migration migration = Migration.plan(state, to, Mapping.NONE);
          if (!isExpected(state, migration)) {
            wrong.add(migration.toString());
          }
        });

    assertThat(wrong).isEmpty();
  }

  private static boolean isExpected(ExecState state, Migration migration) {
    return switch (migration) {
      case Migration.Migrated(var moved) ->
          state.isBlocked()
              && java.util.Arrays.equals(StateCodec.encode(moved), StateCodec.encode(state));
      case Migration.Refused refused -> state.isDone();
    };
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void moves_to_a_text_that_goes_on_where_this_one_ends(Path file) {
    ScenarioDocument scenario = new ScenarioReader().read(file);
    WorkflowDefinition workflow = read(file);
    WorkflowDefinition longer =
        new WorkflowDefinition(
            workflow.name(),
            workflow.version(),
            workflow.description(),
            workflow.mode(),
            workflow.context(),
            workflow.places(),
            workflow.definitions(),
            workflow.limits(),
            Flow.seq(workflow.body(), Flow.effect("one more")));
    Machine to = machine(longer);
    List<String> wrong = new ArrayList<>();

    ScenarioRunner.run(
        scenario,
        ScenarioRunner.PLAIN,
        state -> {
          Migration migration = Migration.plan(state, to, Mapping.NONE);
          if (migration instanceof Migration.Refused == state.isBlocked()) {
            wrong.add(migration.toString());
          }
        });

    assertThat(wrong).isEmpty();
  }
}
