package dev.damask.trace;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.compile.Compiler;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.Reply;
import dev.damask.event.TraceEvent;
import dev.damask.exec.Exploration;
import dev.damask.exec.Exploration.TimerView;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SteppedCaseTest {
  private static final SteppedCase.Style PLAIN =
      new SteppedCase.Style(InOrder.INSTANCE, false, null);

  /// Answers every question with the first option.
  private static final SteppedCase.Answers FIRST =
      new SteppedCase.Answers() {
        @Override
        public int choose(int options) {
          return 0;
        }

        @Override
        public void restart(List<Integer> given) {}
      };

  private final List<String> ran = new ArrayList<>();

  private void note(TraceEvent event) {
    if (event.kind() == TraceEvent.Kind.RAN) {
      ran.add(event.subject());
    }
  }

  private static Program twoTasks() {
    return Compiler.compile(
        workflow("w", par(task("A", context -> context), task("B", context -> context))));
  }

  private static List<Integer> ready(SteppedCase stepped) {
    return Exploration.tokens(stepped.state()).stream()
        .filter(Exploration.TokenView::isReady)
        .map(Exploration.TokenView::id)
        .toList();
  }

  @Test
  void the_caller_of_a_guided_case_chooses_the_token_of_every_step() {
    SteppedCase stepped = SteppedCase.guided(twoTasks(), FIRST, this::note);
    while (ready(stepped).size() < 2) {
      stepped.step(0);
    }

    stepped.step(ready(stepped).getLast());
    stepped.step(ready(stepped).getFirst());

    assertThat(ran).containsExactly("B", "A");
  }

  @Test
  void a_canonical_number_that_no_token_has_is_refused() {
    SteppedCase stepped = SteppedCase.guided(twoTasks(), FIRST, null);

    assertThatThrownBy(() -> stepped.step(9, List.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no token or frame has the number 9");
  }

  @Test
  void a_case_with_a_scheduler_takes_no_single_steps() {
    SteppedCase stepped = SteppedCase.start(twoTasks(), PLAIN, Context.empty(), 0);

    assertThatThrownBy(() -> stepped.step(0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void an_input_takes_no_step_until_the_case_is_run() {
    Program program = Compiler.compile(workflow("w", effect("A"), effect("B")));
    SteppedCase stepped = SteppedCase.start(program, PLAIN, Context.empty(), 0);
    stepped.runUntilBlocked();

    Reply reply =
        stepped.apply(
            new Input.TaskDone(
                stepped.state().pendingEffects().getFirst().token(), Context.empty()));

    assertThat(reply).isEqualTo(Reply.ACCEPTED);
    assertThat(stepped.state().pendingEffects()).isEmpty();
    stepped.runUntilBlocked();
    assertThat(stepped.state().pendingEffects().getFirst().task().name()).isEqualTo("B");
  }

  @Test
  void a_resumed_case_continues_as_the_one_whose_state_was_encoded() {
    Program program = Compiler.compile(workflow("w", effect("A")));
    SteppedCase first = SteppedCase.start(program, PLAIN, Context.of("n", 1), 5);
    first.runUntilBlocked();

    SteppedCase second = SteppedCase.resume(program, PLAIN, StateCodec.encode(first.state()));
    second.apply(
        new Input.TaskDone(second.state().pendingEffects().getFirst().token(), Context.empty()));
    second.runUntilBlocked();

    assertThat(second.outcome()).isEqualTo(new Outcome.Done(Context.of("n", 1)));
    assertThat(first.outcome()).isInstanceOf(Outcome.Waits.class);
  }

  @Test
  void a_timer_of_a_guided_case_fires_before_it_is_due() {
    Program program =
        Compiler.compile(
            workflow("w", defer(on("p", effect("A")), after(Duration.ofDays(1), effect("B")))));
    SteppedCase stepped = SteppedCase.guided(program, FIRST, null);
    while (!ready(stepped).isEmpty()) {
      stepped.step(0);
    }
    TimerView timer = Exploration.timers(stepped.state()).getFirst();

    stepped.fire(timer.isScope(), timer.id(), List.of());
    while (!ready(stepped).isEmpty()) {
      stepped.step(0);
    }

    assertThat(stepped.state().clock()).isZero();
    assertThat(stepped.state().pendingEffects().getFirst().task().name()).isEqualTo("B");
  }
}
