package dev.damask.testkit;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.Reply;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.Recorder;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What the tutorial shows in Java, compiled and run.
final class TutorialTest {
  private static final WorkflowDefinition ORDER =
      workflow(
          "order",
          par(effect("charge").undo(effect("refund")), effect("reserve").undo(effect("release"))),
          defer(
              on("approved", effect("ship")),
              on("rejected", fail("rejected")),
              after(Duration.ofDays(2), fail("no decision"))));

  private static List<String> pending(Recorder run) {
    return run.state().pendingEffects().stream().map(request -> request.task().name()).toList();
  }

  private static void done(Recorder run, String task) {
    EffectRequest request =
        run.state().pendingEffects().stream()
            .filter(each -> each.task().name().equals(task))
            .findFirst()
            .orElseThrow();
    run.apply(new Input.TaskDone(request.token(), Context.empty()));
  }

  @Test
  void an_order_that_is_approved_early_ships_when_it_is_paid_and_reserved() {
    Program program = Compiler.compile(ORDER);
    Recorder run = new Recorder(program, InOrder.INSTANCE, TraceLevel.MIN, Context.empty(), 0);
    assertThat(pending(run)).containsExactly("charge", "reserve");

    Reply reply = run.apply(new Input.Signal("approved", Context.of("by", "eve")));
    done(run, "reserve");
    done(run, "charge");

    assertThat(reply).isEqualTo(Reply.BUFFERED);
    assertThat(pending(run)).containsExactly("ship");
    done(run, "ship");
    assertThat(run.outcome()).isEqualTo(new Outcome.Done(Context.of("by", "eve")));
  }

  @Test
  void an_order_without_a_decision_is_undone_after_two_days() {
    Program program = Compiler.compile(ORDER);
    Recorder run = new Recorder(program, InOrder.INSTANCE, TraceLevel.MIN, Context.empty(), 0);
    done(run, "charge");
    done(run, "reserve");

    run.apply(new Input.Advance(Duration.ofDays(2).toMillis()));

    assertThat(pending(run)).containsExactly("release");
    done(run, "release");
    assertThat(pending(run)).containsExactly("refund");
    done(run, "refund");
    assertThat(run.outcome()).isInstanceOf(Outcome.Failed.class);
  }
}
