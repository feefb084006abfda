package dev.damask.exec;

import static dev.damask.exec.Play.everywhere;
import static dev.damask.exec.Play.pure;
import static dev.damask.term.Flow.complete;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.emit;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.holding;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.Status;
import dev.damask.event.TokenId;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class CancellationTest {
  private static final Limits ROOMY =
      new Limits(100_000, 10_000, 50, 200_000, 200_000, 1_000, 1 << 20, 100_000_000);

  @Test
  void cancelling_a_scope_visits_what_is_in_it_and_nothing_else() {
    assertThat(visitedWith(1_000)).isEqualTo(visitedWith(100_000)).isBetween(2_000, 2_010);
  }

  /// How much the cancellation of a scope of 1,000 tokens looks at in a case with others beside it.
  private static int visitedWith(int others) {
    Term inside = instances("m", InstancePolicy.fixed(1_000), take("never"));
    Term outside = instances("n", InstancePolicy.fixed(others), take("never"));
    Program program =
        Compiler.compile(workflow("w", par(scope("s", inside), outside)).withLimits(ROOMY));
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    ExecState state = machine.start(Context.empty(), 0);
    machine.run(state, Integer.MAX_VALUE);
    assertThat(state.tokens()).isEqualTo(1_000 + others);

    machine.apply(state, new Input.Kill("s", false));

    assertThat(state.tokens()).isEqualTo(others);
    return state.visited;
  }

  @Test
  void a_kill_reaches_through_every_nested_frame() {
    Term nested =
        par(effect("A"), scope("s", instances("m", InstancePolicy.fixed(2), effect("B"))));

    everywhere(
        seq(scope("r", nested), pure("after")),
        play -> {
          assertThat(play.kill("r")).isEqualTo("A× B× B×");
          assertThat(play.status()).isEqualTo(Status.CANCELLED);
        });
  }

  @Test
  void a_kill_from_inside_the_killed_scope_does_not_come_back() {
    Term term =
        seq(scope("r", par(effect("A"), seq(pure("a"), kill("r"), pure("never")))), pure("z"));

    everywhere(term, play -> assertThat(play.see()).isEqualTo("A+ a A×"));
  }

  @Test
  void completing_from_inside_lets_one_token_leave_with_the_entry_context() {
    Term inside = seq(pure("a", context -> context.with("k", 1)), complete("r"), pure("never"));

    everywhere(
        seq(scope("r", inside), pure("z")),
        play -> {
          assertThat(play.see()).isEqualTo("a z");
          assertThat(play.result()).isEqualTo(Context.empty());
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void completing_instances_fires_with_the_results_so_far() {
    Term set = instances("m", InstancePolicy.fixed(3).collect("k"), effect("A"));

    everywhere(
        seq(set, pure("z")),
        play -> {
          play.done("A", Context.of("k", 7));
          assertThat(play.complete("m")).isEqualTo("A× A× z");
          assertThat(play.result().get("k_all")).isEqualTo(java.util.List.of(7L));
        });
  }

  @Test
  void a_loop_goes_on_counting_after_a_kill_as_complete_or_a_catch_in_its_body() {
    Term killed = repeat(3, seq(scope("r", repeat(5, seq(pure("a"), complete("r")))), pure("b")));
    Term caught =
        repeat(
            3, scope("r", ScopeOptions.catching(pure("c")), repeat(5, seq(pure("a"), fail("x")))));

    everywhere(killed, play -> assertThat(play.see()).isEqualTo("a b a b a b"));
    everywhere(caught, play -> assertThat(play.see()).isEqualTo("a c a c a c"));
  }

  @Test
  void held_places_come_back_whichever_way_a_scope_ends() {
    ScopeOptions caught = ScopeOptions.catching(pure("c"));
    ScopeOptions timed = new ScopeOptions(Duration.ofSeconds(1), pure("t"), null, false, null);
    for (String way : new String[] {"done", "kill", "complete", "fail", "time", "case", "task"}) {
      ScopeOptions options = way.equals("time") ? timed : caught;
      Term held = new Term.Cancel("r", java.util.List.of("x"), options, effect("A"));
      WorkflowDefinition whole =
          workflow("w", par(held, holding("s", "x", pure("b")))).withPlaces(Place.mutex("x"));

      everywhere(
          whole,
          play -> {
            switch (way) {
              case "done" -> play.done("A");
              case "kill" -> play.kill("r");
              case "complete" -> play.complete("r");
              case "fail" -> play.fail("A", "boom");
              case "time" -> play.advance(2_000);
              case "task" -> play.cancelTask("A");
              default -> play.kill("case");
            }
            assertThat(play.onPlace("x")).as(way).isEqualTo(1);
            assertThat(play.state.isDone()).isTrue();
          });
    }
  }

  @Test
  void a_drained_leftover_keeps_the_place_until_it_is_gone() {
    Term held = holding("r", "x", join(JoinPolicy.partial(1), pure("a"), effect("B")));
    WorkflowDefinition whole =
        workflow("w", held, holding("s", "x", pure("c"))).withPlaces(Place.mutex("x"));

    everywhere(
        whole,
        play -> {
          assertThat(play.see()).isEqualTo("a B+");
          assertThat(play.done("B")).isEqualTo("B- c");
          assertThat(play.onPlace("x")).isEqualTo(1);
        });
  }

  @Test
  void a_failing_undo_is_attached_and_the_others_still_run() {
    Term term =
        seq(
            pure("a").undo(pure("ua")),
            pure("b").undo(seq(pure("ub"), fail("worse"), pure("never"))),
            effect("C"));

    everywhere(
        term,
        play -> {
          assertThat(play.fail("C", "boom")).isEqualTo("C! ub ua");
          Failure failure = play.state.failure().orElseThrow();
          assertThat(failure.reason()).isEqualTo("boom");
          assertThat(failure.attached()).extracting(Failure::reason).containsExactly("worse");
        });
  }

  @Test
  void undo_runs_in_reverse_order_of_completion_over_instances_and_inner_scopes() {
    Term instance = effect("A").undo(effect("U"));
    Term body =
        seq(
            scope("in", ScopeOptions.undoing(), pure("p").undo(pure("up"))),
            instances("m", InstancePolicy.fixed(2), instance),
            pure("q").undo(pure("uq")),
            effect("Z"));

    everywhere(
        scope("out", ScopeOptions.undoing(), body),
        play -> {
          play.done("A");
          assertThat(play.done("A")).isEqualTo("A- q Z+");
          assertThat(play.kill("out")).isEqualTo("Z× uq U+");
          assertThat(play.done("U")).isEqualTo("U- U+");
          assertThat(play.done("U")).isEqualTo("U- up");
          assertThat(play.status()).isEqualTo(Status.CANCELLED);
        });
  }

  @Test
  void a_time_out_empties_a_delivered_scope_without_further_consequence() {
    ScopeOptions timed = new ScopeOptions(Duration.ofSeconds(1), pure("t"), null, false, null);
    Term term =
        seq(scope("r", timed, join(JoinPolicy.partial(1), pure("a"), effect("B"))), effect("C"));

    everywhere(
        term,
        play -> {
          assertThat(play.see()).isEqualTo("a B+ C+");
          assertThat(play.advance(2_000)).isEqualTo("B×");
          assertThat(play.done("C")).isEqualTo("C-");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void places_of_a_definition_belong_to_one_activation_each() {
    Term body = seq(emit("p"), take("p"), effect("A"));
    WorkflowDefinition whole =
        workflow("w", par(dev.damask.term.Flow.call("F"), dev.damask.term.Flow.call("F")))
            .withDefinitions(
                new dev.damask.term.Definition("F", java.util.List.of(Place.internal("p")), body));

    everywhere(
        whole,
        play -> {
          assertThat(play.see()).isEqualTo("A+ A+");
          play.done("A");
          assertThat(play.done("A")).isEqualTo("A-");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void inputs_to_an_ended_case_change_nothing_and_say_so() {
    everywhere(
        effect("A"),
        play -> {
          TokenId token = play.token("A");
          play.done("A");
          play.apply(new Input.TaskDone(token, Context.empty()));
          assertThat(play.reply).isEqualTo(Reply.CASE_ENDED);
          play.kill("case");
          assertThat(play.reply).isEqualTo(Reply.CASE_ENDED);
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }
}
