package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.TokenId;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.task.Retry;
import dev.damask.term.Flow;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.TaskResult;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class EffectRequestTest {
  private static Machine machine(Term term) {
    Program program = Compiler.compile(Flow.workflow("request", term));
    return new Machine(
        program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
  }

  @Test
  void a_wish_of_a_task_function_reaches_whoever_performs_effects() {
    EffectSpec requested = new EffectSpec("mail", Context.of("to", "eve"), "m-1");
    Machine machine =
        machine(
            Flow.task("ask", context -> new TaskResult.Wants(requested, context.with("asked", 1))));
    ExecState state = machine.start(Context.empty(), 0);

    machine.run(state, 100);

    EffectRequest request = state.pendingEffects().getFirst();
    assertThat(request.spec()).isEqualTo(requested);
    assertThat(request.context()).isEqualTo(Context.of("asked", 1));
  }

  @Test
  void a_failure_reported_between_two_attempts_is_late_and_uses_up_none() {
    Retry retry = new Retry(2, Duration.ofSeconds(10), 1.0, 0.0);
    Machine machine = machine(Flow.effect("A").retry(retry));
    ExecState state = machine.start(Context.empty(), 0);
    machine.run(state, 100);
    TokenId token = state.pendingEffects().getFirst().token();

    Reply first = machine.apply(state, new Input.TaskFailed(token, "boom"));
    Reply second = machine.apply(state, new Input.TaskFailed(token, "boom"));

    assertThat(first).isEqualTo(Reply.ACCEPTED);
    assertThat(second).isEqualTo(Reply.LATE);
    assertThat(state.pendingEffects().getFirst().attempt()).isEqualTo(2);
  }
}
