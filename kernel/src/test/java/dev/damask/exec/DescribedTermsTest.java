package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.description.Description;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Descriptions of randomly generated workflows.
final class DescribedTermsTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 5, 8})
  void a_description_compiles_to_the_hash_of_the_original_and_reads_its_states(long from) {
    for (long seed = from * 1_000; seed < from * 1_000 + 100; seed++) {
      WorkflowDefinition original = new RandomTerms(seed, false).workflow();
      Program program = Compiler.compile(original);

      byte[] bytes = Description.of(original);
      WorkflowDefinition described = Description.read(bytes);
      Program read = Description.compile(described);

      assertThat(read.hash()).as("seed %d", seed).isEqualTo(program.hash());
      assertThat(Description.of(described)).as("seed %d", seed).isEqualTo(bytes);
      byte[] state = StateCodec.encode(moved(machine(program)));
      ExecState known = StateCodec.decode(machine(program), state);
      ExecState same = StateCodec.decode(machine(read), state);
      assertThat(same.view().tokens()).as("seed %d", seed).isEqualTo(known.view().tokens());
      assertThat(same.view().scopes()).as("seed %d", seed).isEqualTo(known.view().scopes());
      assertThat(StateCodec.encode(same)).as("seed %d", seed).isEqualTo(state);
    }
  }

  private static ExecState moved(Machine machine) {
    ExecState state = machine.start(Context.empty(), 0);
    machine.move(state, 50);
    return state;
  }

  private static Machine machine(Program program) {
    return new Machine(
        program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
  }
}
