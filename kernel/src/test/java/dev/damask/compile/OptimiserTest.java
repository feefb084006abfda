package dev.damask.compile;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.program.Code;
import dev.damask.program.Listing;
import dev.damask.program.Program;
import dev.damask.term.Term;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class OptimiserTest {
  private static Term.Task pure(String name) {
    return task(name, context -> context);
  }

  @Test
  void fuses_runs_of_task_functions_and_steps_over_what_changes_nothing() {
    Program program = Compiler.compile(workflow("w", seq(pure("a"), seq(pure("b"), pure("c")))));

    assertThat(Listing.optimised(program))
        .isEqualTo(
            """
            workflow w implicit
               1: TASK_RUN [a, b, c] next 12
              12: DONE
            """);
  }

  @Test
  void does_not_fuse_across_an_effect_a_task_with_undo_or_the_head_of_a_loop() {
    Term.Task undoable = pure("u").undo(pure("back"));
    Term term = seq(pure("a"), effect("E"), pure("b"), undoable, repeat(2, pure("c")));

    String listing = Listing.optimised(Compiler.compile(workflow("w", term)));

    assertThat(listing).doesNotContain("TASK_RUN").contains("TASK_EXEC u undo=");
  }

  @Test
  void no_run_is_longer_than_64_tasks() {
    Term[] parts = new Term[130];
    Arrays.fill(parts, pure("a"));

    Program program = Compiler.compile(workflow("w", parts));

    assertThat(Arrays.stream(program.fast().pools().runs()).map(run -> run.tasks().length))
        .containsExactly(64, 64, 2);
  }

  @Test
  void every_raw_address_still_holds_an_instruction_that_does_the_same() {
    Term term =
        seq(pure("a"), pure("b"), effect("E"), repeat(2, seq(pure("c"), pure("d"))), pure("e"));
    Program program = Compiler.compile(workflow("w", term));
    int[] raw = program.raw().code();
    int[] fast = program.fast().code();

    assertThat(fast).hasSameSizeAs(raw);
    for (int at = 0; at < raw.length; at += Code.length(raw[at])) {
      if (fast[at] == Code.TASK_RUN) {
        int task = program.fast().pools().runs()[fast[at + 1]].tasks()[0];
        assertThat(raw[at]).isEqualTo(Code.TASK_EXEC);
        assertThat(task).isEqualTo(raw[at + 1]);
      } else {
        assertThat(fast[at]).as("address %s", at).isEqualTo(raw[at]);
      }
    }
  }
}
