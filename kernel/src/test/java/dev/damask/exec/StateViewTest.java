package dev.damask.exec;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.StateView;
import dev.damask.event.Status;
import dev.damask.event.TraceEvent;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/// The state of a case as data.
final class StateViewTest {
  private static Term.Task set(String key, long value) {
    return Play.pure("set", context -> context.with(key, value));
  }

  @Test
  void tokens_scopes_branches_and_join_counters_can_be_read() {
    ScopeOptions timed = new ScopeOptions(Duration.ofSeconds(9), null, null, false, null);
    Term body =
        scope("s", timed, par(seq(set("a", 1), effect("A")), seq(set("b", 2), effect("B"))));
    Play play = Play.start(body);
    play.done("B", Context.of("r", 3));

    StateView view = play.state.view();

    assertThat(view.status()).isEqualTo(Status.WAITING);
    assertThat(view.tokens()).hasSize(1);
    StateView.Token token = view.tokens().getFirst();
    assertThat(token.instruction()).isEqualTo("EFFECT_YIELD");
    assertThat(token.activity()).isEqualTo(StateView.Activity.EFFECT);
    assertThat(token.place()).isEqualTo("do.do.par[0][1]");
    assertThat(token.context()).isEqualTo(Context.of("a", 1));
    assertThat(view.scopes())
        .extracting(StateView.Scope::kind)
        .startsWith("case", "region", "block");
    assertThat(view.scopes().get(1).name()).isEqualTo("s");
    assertThat(view.scopes().get(1).dueMillis()).isEqualTo(OptionalLong.of(9_000));
    assertThat(view.branches()).hasSize(1);
    assertThat(view.branches().getFirst().tokens()).containsExactly(token.id());
    StateView.Join join = view.joins().getFirst();
    assertThat(join.completed()).isEqualTo(1);
    assertThat(join.required()).isEqualTo(2);
    assertThat(join.results()).containsExactly(Context.of("b", 2, "r", 3));
  }

  @Test
  void a_join_names_the_path_of_its_block_or_set() {
    Term body =
        seq(set("a", 1), par(effect("A"), instances("m", InstancePolicy.fixed(2), effect("B"))));
    for (boolean rewritten : List.of(false, true)) {
      Play.Style style = new Play.Style(InOrder.INSTANCE, false, rewritten, 100);
      Play play = new Play(Compiler.compile(workflow("w", body)), style, Context.empty());

      assertThat(play.state.view().joins())
          .extracting(StateView.Join::place)
          .containsExactly("do[1]", "do[1].par[1]");
    }
  }

  @Test
  void completed_tasks_that_a_scope_would_undo_are_listed_newest_first() {
    ScopeOptions undoing = new ScopeOptions(null, null, null, true, null);
    Term body =
        scope(
            "s",
            undoing,
            seq(effect("A").undo(effect("undoA")), effect("B").undo(effect("undoB")), effect("C")));
    Play play = Play.start(body);
    assertThat(play.state.view().undo()).isEmpty();

    play.done("A", Context.empty());
    play.done("B", Context.empty());

    List<StateView.Undo> undo = play.state.view().undo();
    assertThat(undo).extracting(StateView.Undo::task).containsExactly("B", "A");
    assertThat(undo.getFirst().place()).isEqualTo("do.do[1]");
    assertThat(undo).noneMatch(StateView.Undo::isBegun);
    play.kill("s");
    assertThat(play.state.view().undo()).allMatch(StateView.Undo::isBegun).hasSize(2);
    play.done("undoB", Context.empty());
    assertThat(play.state.view().undo()).extracting(StateView.Undo::task).containsExactly("A");
  }

  @Test
  void the_context_of_a_waiting_case_is_its_present_one() {
    Play one = Play.start(seq(set("a", 1), effect("A"), set("b", 2), effect("B")));
    one.done("A", Context.of("r", 3));
    Play two = Play.start(seq(set("a", 1), par(seq(set("b", 2), effect("A")), set("c", 3))));
    Play set = Play.start(seq(set("a", 1), instances("m", InstancePolicy.fixed(2), effect("A"))));

    assertThat(one.state.context()).isEqualTo(Context.of("a", 1, "b", 2).with("r", 3));
    assertThat(two.state.context()).isEqualTo(Context.of("a", 1, "b", 2).with("c", 3));
    assertThat(set.state.context()).isEqualTo(Context.of("a", 1));
  }

  @Test
  void a_cancelled_scope_is_known_until_it_is_entered_again() {
    Term round = seq(scope("s", scope("inner", effect("A"))), effect("B"));
    for (boolean rewritten : List.of(false, true)) {
      Play.Style style = new Play.Style(InOrder.INSTANCE, false, rewritten, 100);
      Program program =
          Compiler.compile(workflow("w", join(JoinPolicy.all(), par(round, effect("X")))));
      Play play = new Play(program, style, Context.empty());
      assertThat(play.state.isCancelled("s")).isFalse();

      play.kill("s");

      assertThat(play.state.isCancelled("s")).isTrue();
      assertThat(play.state.view().cancelled()).containsExactly("inner", "s");
      assertThat(play.state.isCancelled("case")).isFalse();
    }
    Play again = Play.start(repeat(2, scope("s", par(effect("A"), effect("B")))));
    again.complete("s");
    assertThat(again.state.isCancelled("s")).isFalse();
    again.kill("case");
    assertThat(again.state.isCancelled("case")).isTrue();
  }

  @Test
  void a_step_returns_its_event_and_passes_it_on_to_the_tracer() {
    List<TraceEvent> seen = new ArrayList<>();
    Program program =
        Compiler.compile(workflow("w", seq(set("a", 1), defer(on("go", set("b", 2))))));
    Machine machine =
        new Machine(
            program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, seen::add));
    ExecState state = machine.start(Context.empty(), 0);

    assertThat(machine.step(state).map(TraceEvent::rule)).isEqualTo(Optional.of("TASK-EXEC"));
    assertThat(machine.step(state).map(TraceEvent::rule)).isEqualTo(Optional.of("AWAIT"));
    assertThat(machine.step(state)).isEmpty();
    assertThat(machine.advance(state)).isFalse();
    assertThat(seen.stream().filter(TraceEvent::isReduction)).hasSize(2);
  }
}
