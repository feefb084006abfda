package dev.damask.exec;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.set;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.Input;
import dev.damask.event.Status;
import dev.damask.event.TokenId;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.state.Frame;
import dev.damask.task.Expression;
import dev.damask.task.MergeFunction.BranchValue;
import dev.damask.task.TaskFunction;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Term;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A write is a write, also of the same value. The scenarios W1 to W16 cover documents.
final class WritesTest {
  /// `par(A, B)` entered with k = 1, after A returned k = 2; written by format 2.
  private static final String FORMAT_2 =
      "02d37324e83dccd08dc2c2d48f3c3c71350201016b1101016b120105000702000003010000030301"
          + "006ca8ae763e8e2d7400020002010000000006040301eed4b323023a5e3c00010706050900eed4b3"
          + "23023a5e3c0102018be96a85";

  private static Machine machine(Term body) {
    Program program = Compiler.compile(workflow("old", body));
    return new Machine(
        program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
  }

  private static Term keep(String key) {
    return set(key, Expression.named(key, context -> context.get(key)));
  }

  private static Context run(Term body, Context context) {
    Machine machine = machine(body);
    ExecState state = machine.start(context, 0);
    machine.run(state, 1_000);
    assertThat(state.status()).isEqualTo(Status.COMPLETED);
    return state.result();
  }

  private static Context done(Machine machine, ExecState state, Context result) {
    TokenId token = state.pendingEffects().getFirst().token();
    machine.apply(state, new Input.TaskDone(token, result));
    machine.run(state, 1_000);
    return state.result();
  }

  @Test
  void a_block_of_a_state_of_format_2_merges_by_comparing_values() {
    Machine machine = machine(par(effect("A"), effect("B")));
    ExecState old = StateCodec.decode(machine, HexFormat.of().parseHex(FORMAT_2));
    ExecState again = StateCodec.copy(machine, old);

    assertThat(done(machine, old, Context.of("k", 1))).isEqualTo(Context.of("k", 2));
    assertThat(done(machine, again, Context.of("k", 1))).isEqualTo(Context.of("k", 2));
  }

  @Test
  void a_block_that_starts_today_knows_who_wrote() {
    Machine machine = machine(par(effect("A"), effect("B")));
    ExecState state = machine.start(Context.of("k", 1), 0);
    machine.run(state, 1_000);
    done(machine, state, Context.of("k", 2));

    ExecState copy = StateCodec.copy(machine, state);

    assertThat(done(machine, copy, Context.of("k", 1))).isEqualTo(Context.of("k", 1));
  }

  @Test
  void a_pure_java_task_writes_the_keys_whose_values_it_changes() {
    Term same = task("same", context -> context.with("k", 1));
    Term back = seq(task("x", c -> c.with("k", 5)), task("y", c -> c.with("k", 1)));
    Term two = task("two", context -> context.with("k", 2));

    assertThat(run(par(two, same), Context.of("k", 1)).get("k")).isEqualTo(2L);
    assertThat(run(par(two, back), Context.of("k", 1)).get("k")).isEqualTo(1L);
  }

  @Test
  void a_slow_function_writes_the_keys_whose_values_it_changes() {
    Term slow = task("slow", TaskFunction.slow(context -> context.with("x", 1)));
    Machine machine = machine(par(effect("A"), slow));
    ExecState state = machine.start(Context.of("k", 1), 0);
    machine.run(state, 1_000);

    done(machine, state, Context.of("k", 2));
    Context result = done(machine, state, Context.of("k", 1, "x", 1));

    assertThat(result).isEqualTo(Context.of("k", 2, "x", 1));
  }

  @Test
  void a_removed_key_that_is_put_back_was_written() {
    Term back = seq(task("x", c -> c.without("k")), task("y", c -> c.with("k", 1)));
    Term two = task("two", context -> context.with("k", 2));

    assertThat(run(par(two, back), Context.of("k", 1)).get("k")).isEqualTo(1L);
  }

  @Test
  void a_merge_function_is_called_for_every_key_that_two_branches_wrote() {
    List<List<BranchValue>> calls = new ArrayList<>();
    Merge merge =
        new Merge.Custom(
            "count",
            (key, base, values) -> {
              calls.add(values);
              return values.size();
            });
    JoinPolicy policy = JoinPolicy.all().withMerge(merge);

    Context result = run(join(policy, keep("k"), keep("k"), keep("one")), Context.of("k", 1));

    assertThat(result.get("k")).isEqualTo(2L);
    assertThat(result.get("one")).isNull();
    assertThat(calls).containsExactly(List.of(new BranchValue(0, 1L), new BranchValue(1, 1L)));
  }

  @Test
  void collected_keys_are_lists_whoever_wrote_them() {
    JoinPolicy policy = JoinPolicy.firstN(1).withMerge(Merge.collect("k", "none"));

    Context result = run(join(policy, keep("k"), effect("B")), Context.of("k", 1));

    assertThat(result).isEqualTo(Context.of("k", List.of(1L), "none", List.of()));
  }

  @Test
  void outside_of_branches_nothing_is_stamped() {
    Machine machine = machine(seq(keep("k"), par(effect("A"), effect("B"))));

    ExecState state = machine.start(Context.of("k", 1), 0);
    machine.run(state, 1_000);

    assertThat(Exploration.tokens(state)).hasSize(2);
    for (Frame child = state.root.firstChild; child != null; child = child.next) {
      assertThat(child.entryStamps).isEqualTo(Context.empty());
    }
  }
}
