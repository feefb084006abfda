package dev.damask.compile;

import static dev.damask.term.Flow.call;
import static dev.damask.term.Flow.definition;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.event.Input;
import dev.damask.event.Status;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.Code;
import dev.damask.program.Listing;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CompilerTest {
  private static final int DEEP = 100_000;
  private static final Limits ROOMY =
      new Limits(1_000_000, 20_000, 50, 10_000, 20_000, 1_000, 1 << 20, 10_000_000);

  private static Term nest(int depth, Term inner, UnaryOperator<Term> around) {
    Term term = inner;
    for (int i = 0; i < depth; i++) {
      term = around.apply(term);
    }
    return term;
  }

  private static Machine machine(Program program) {
    return new Machine(
        program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"seq", "scope", "join", "loop"})
  void a_term_nested_a_hundred_thousand_deep_compiles_runs_is_written_and_cancelled(String form) {
    Term inner = effect("A");
    Term deep =
        nest(
            DEEP,
            inner,
            term ->
                switch (form) {
                  case "seq" -> new Term.Seq(java.util.List.of(term));
                  case "scope" -> scope("s", term);
                  case "join" -> join(JoinPolicy.partial(1), term);
                  default -> repeatOnce(term);
                });
    Program program = Compiler.compile(workflow("w", deep).withLimits(ROOMY));
    Machine machine = machine(program);

    ExecState waiting = machine.start(Context.empty(), 0);
    machine.run(waiting, Integer.MAX_VALUE);
    ExecState copy = StateCodec.copy(machine, waiting);
    machine.apply(
        waiting, new Input.TaskDone(waiting.pendingEffects().getFirst().token(), Context.empty()));
    machine.run(waiting, Integer.MAX_VALUE);
    machine.apply(copy, new Input.Kill("case", false));

    assertThat(waiting.status()).isEqualTo(Status.COMPLETED);
    assertThat(copy.status()).isEqualTo(Status.CANCELLED);
    assertThat(Listing.raw(program)).contains("EFFECT_YIELD A");
    assertThat(Listing.optimised(program)).contains("EFFECT_YIELD A");
  }

  private static Term repeatOnce(Term term) {
    return dev.damask.term.Flow.repeatUntil(
        dev.damask.task.Guard.named("true", context -> true), term);
  }

  @Test
  void a_term_beyond_the_limit_is_refused_before_anything_is_compiled() {
    WorkflowDefinition deep = workflow("w", nest(DEEP, effect("A"), term -> scope("s", term)));

    assertThatThrownBy(() -> Compiler.compile(deep))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "workflow w: TOO_LARGE at do: a workflow has at most 100000 nodes, found 100001; "
                + "move parts into definitions, or raise limits.nodes");
  }

  @Test
  void ten_thousand_branches_fork_and_join() {
    Term[] branches = new Term[10_000];
    Arrays.setAll(branches, i -> task("t" + i, context -> context.with("k" + i % 50, i)));
    Program program = Compiler.compile(workflow("w", par(branches)).withLimits(ROOMY));
    Machine machine = machine(program);

    ExecState state = machine.start(Context.empty(), 0);
    machine.run(state, Integer.MAX_VALUE);

    assertThat(state.status()).isEqualTo(Status.COMPLETED);
    assertThat(state.result().get("k49")).isEqualTo(9_999L);
  }

  @Test
  void the_size_of_a_program_is_linear_in_the_size_of_its_term() {
    int[] sizes = new int[2];
    for (int i = 0; i < 2; i++) {
      Term[] parts = new Term[1_000 * (i + 1)];
      Arrays.fill(parts, task("a", context -> context));
      sizes[i] = Compiler.compile(workflow("w", seq(parts))).raw().code().length;
    }

    assertThat(sizes[1]).isLessThanOrEqualTo(2 * sizes[0]);
  }

  @Test
  void nested_count_loops_have_slots_of_their_own_and_parallel_ones_share_them() {
    Program nested = Compiler.compile(workflow("w", repeat(2, repeat(3, effect("A")))));
    Program beside =
        Compiler.compile(workflow("w", seq(repeat(2, effect("A")), repeat(3, effect("B")))));
    Program branched =
        Compiler.compile(workflow("w", repeat(2, par(repeat(3, effect("A")), effect("B")))));

    assertThat(nested.pools().loopSlots()).isEqualTo(2);
    assertThat(beside.pools().loopSlots()).isEqualTo(1);
    assertThat(branched.pools().loopSlots()).isEqualTo(1);
  }

  @Test
  void the_source_map_leads_from_every_address_back_to_a_term() {
    WorkflowDefinition source =
        workflow("w", effect("A"), scope("s", par(effect("B"), call("F"))))
            .withDefinitions(definition("F", effect("C")));
    Program program = Compiler.compile(source);
    int[] code = program.raw().code();
    StringBuilder places = new StringBuilder();
    for (int at = 0; at < code.length; at += Code.length(code[at])) {
      assertThat(program.source().isStart(at)).isTrue();
      if (code[at] == Code.EFFECT_YIELD || code[at] == Code.CALL) {
        places.append(program.source().at(at)).append(' ');
      }
    }

    assertThat(places.toString()).isEqualTo("do[0] do[1].do.par[0] do[1].do.par[1] definitions.F ");
    assertThat(program.source().isStart(2)).isFalse();
  }

  @Test
  void a_label_is_placed_once_and_before_it_is_read() {
    JumpTarget label = new JumpTarget();

    assertThatThrownBy(label::address).hasMessage("label never placed");
    label.place(4);
    assertThat(label.address()).isEqualTo(4);
    assertThatThrownBy(() -> label.place(5)).hasMessage("label placed twice, at 4 and 5");
  }
}
