package dev.damask.compile;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.Input;
import dev.damask.event.TraceEvent;
import dev.damask.program.Listing;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.term.Term;
import dev.damask.trace.Recorder;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The four examples of the formal description: what they compile to, and how they run.
final class SeedExamplesTest {
  private static final Term A = task("a", context -> context);
  private static final Term B = task("b", context -> context);

  private static Program compile(Term term) {
    return Compiler.compile(workflow("w", term));
  }

  private static Recorder run(Program program) {
    return new Recorder(program, InOrder.INSTANCE, TraceLevel.FULL, Context.empty(), 0);
  }

  private static List<String> rules(Recorder recorder) {
    return recorder.recording().events().stream()
        .filter(event -> event.kind() != TraceEvent.Kind.FORKED && !event.rule().equals("TOKEN"))
        .map(event -> event.rule() + (event.subject().isEmpty() ? "" : " " + event.subject()))
        .toList();
  }

  @Test
  void a_sequence_runs_one_task_after_the_other() {
    Program program = compile(seq(A, B));

    assertThat(Listing.raw(program))
        .isEqualTo(
            """
            workflow w implicit
               0: SEQ_ENTER
               1: TASK_EXEC a
               3: SEQ_NEXT 5
               5: TASK_EXEC b
               7: DONE
            """);
    assertThat(rules(run(program))).containsExactly("TASK-EXEC a", "TASK-EXEC b", "END", "DONE");
  }

  @Test
  void a_parallel_block_forks_and_meets_at_its_join() {
    Program program = compile(par(A, B));

    assertThat(Listing.raw(program))
        .isEqualTo(
            """
            workflow w implicit
               0: PAR_FORK [2, 5] join all
               2: TASK_EXEC a
               4: DONE
               5: TASK_EXEC b
               7: DONE
               8: JOIN_WAIT all
              10: DONE
            """);
    assertThat(rules(run(program)))
        .containsExactly(
            "PAR-FORK", "TASK-EXEC a", "DONE", "TASK-EXEC b", "JOIN-FIRE", "DONE", "END", "DONE");
  }

  @Test
  void a_counted_loop_checks_once_more_than_it_runs() {
    Program program = compile(repeat(3, A));

    assertThat(Listing.raw(program))
        .isEqualTo(
            """
            workflow w implicit
               0: LOOP_CHECK count 3 exit 9
               5: TASK_EXEC a
               7: LOOP_BACK 0
               9: DONE
            """);
    assertThat(rules(run(program)))
        .containsExactly(
            "LOOP-CHECK",
            "TASK-EXEC a",
            "LOOP-BACK",
            "LOOP-CHECK",
            "TASK-EXEC a",
            "LOOP-BACK",
            "LOOP-CHECK",
            "TASK-EXEC a",
            "LOOP-BACK",
            "LOOP-CHECK",
            "END",
            "DONE");
  }

  @Test
  void a_cancelled_scope_withdraws_both_branches() {
    Program program = compile(scope("scope1", par(effect("a"), effect("b"))));

    assertThat(Listing.raw(program))
        .isEqualTo(
            """
            workflow w implicit
               0: CANCEL_SCOPE enter scope1
               3: PAR_FORK [5, 8] join all
               5: EFFECT_YIELD a
               7: DONE
               8: EFFECT_YIELD b
              10: DONE
              11: JOIN_WAIT all
              13: CANCEL_SCOPE exit scope1
              16: DONE
            """);
    Recorder recorder = run(program);
    recorder.apply(new Input.Kill("scope1", false));
    assertThat(rules(recorder))
        .containsExactly(
            "CANCEL-SCOPE",
            "PAR-FORK",
            "TASK-EFFECT a",
            "TASK-EFFECT",
            "TASK-EFFECT b",
            "TASK-EFFECT",
            "CANCEL-PROPAGATE scope1",
            "CANCEL-EFFECT a",
            "CANCEL-EFFECT b",
            "END");
  }
}
