package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.Mapping;
import dev.damask.event.Status;
import dev.damask.exec.Migration.Migrated;
import dev.damask.exec.Migration.Refused;
import dev.damask.program.Program;
import dev.damask.task.Guard;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Mode;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.TaskResult;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/// Moving a case that waits to another version of its workflow.
final class MigrationTest {
  private static final Term A = Flow.effect("A");
  private static final Term B = Flow.effect("B");
  private static final Term C = Flow.effect("C");
  private static final Term X = Flow.effect("X");

  static WorkflowDefinition of(Term... parts) {
    return Flow.workflow("w", parts);
  }

  private static Migration plan(Play play, WorkflowDefinition next, Mapping mapping) {
    Program program = Compiler.compile(next);
    Machine.Options options =
        new Machine.Options(Play.Style.PLAIN.scheduler(), program.limits(), false, null);
    return Migration.plan(play.state, new Machine(program, options), mapping);
  }

  /// A case of the new version, in the state that moving has given it.
  static Play moved(Play play, WorkflowDefinition next, Mapping mapping) {
    Migration migration = plan(play, next, mapping);
    assertThat(migration).isInstanceOf(Migrated.class);
    Play after = new Play(Compiler.compile(next), Play.Style.PLAIN, Context.empty());
    after.see();
    if (migration instanceof Migrated(var state)) {
      assertThat(ids(state)).isEqualTo(ids(play.state));
      after.state = StateCodec.decode(after.machine, StateCodec.encode(state));
    }
    return after;
  }

  static Play moved(Play play, WorkflowDefinition next) {
    return moved(play, next, Mapping.NONE);
  }

  private static List<String> ids(ExecState state) {
    return state.pendingEffects().stream().map(r -> r.token() + " " + r.id()).toList();
  }

  static List<String> refused(Play play, WorkflowDefinition next) {
    return refused(play, next, Mapping.NONE);
  }

  static List<String> refused(Play play, WorkflowDefinition next, Mapping mapping) {
    byte[] before = StateCodec.encode(play.state);
    Migration migration = plan(play, next, mapping);
    assertThat(StateCodec.encode(play.state)).as("nothing changes").isEqualTo(before);
    assertThat(migration).isInstanceOf(Refused.class);
    return migration instanceof Refused(var reasons) ? reasons : List.of();
  }

  @Test
  void a_task_put_behind_the_one_that_waits_runs_when_that_completes() {
    Play play = Play.start(A, B);

    Play after = moved(play, of(A, X, B));

    assertThat(after.done("A")).isEqualTo("A- X+");
    assertThat(after.done("X")).isEqualTo("X- B+");
  }

  @Test
  void a_task_put_before_the_one_that_waits_is_not_run_any_more() {
    Play play = Play.start(A, B);
    play.done("A");

    Play after = moved(play, of(X, A, B, C));

    assertThat(after.done("B")).isEqualTo("B- C+");
  }

  @Test
  void finished_parts_may_go() {
    Play play = Play.start(Flow.par(A, B), C);
    play.done("A");
    play.done("B");

    Play after = moved(play, of(C));

    assertThat(after.done("C")).isEqualTo("C-");
    assertThat(after.status()).isEqualTo(Status.COMPLETED);
  }

  @Test
  void steps_may_change_their_order() {
    Play play = Play.start(A, B, C);

    Play after = moved(play, of(B, A, C));

    assertThat(after.done("A")).isEqualTo("A- C+");
  }

  @Test
  void tasks_scopes_places_and_definitions_may_get_other_names() {
    Term body = Flow.scope("R", Flow.par(Flow.call("D"), Flow.take("p")));
    Term next = Flow.scope("S", Flow.par(Flow.call("E"), Flow.take("q")));
    Play play =
        Play.start(
            of(body).withDefinitions(Flow.definition("D", A)).withPlaces(Place.external("p")));
    WorkflowDefinition changed =
        of(next).withDefinitions(Flow.definition("E", X)).withPlaces(Place.external("q"));
    Mapping mapping =
        Mapping.NONE.task("A", "X").scope("R", "S").place("p", "q").definition("D", "E");

    Play after = moved(play, changed, mapping);

    assertThat(after.done("X")).isEqualTo("X-");
    after.signal("q");
    assertThat(after.status()).isEqualTo(Status.COMPLETED);
    assertThat(refused(play, changed)).hasSize(1).first().asString().contains("scope R is open");
  }

  @Test
  void everything_that_is_open_around_a_task_goes_along() {
    Term inner = Flow.repeat(3, Flow.seq(A, B));
    Term graph = Flow.graph(Flow.to("n"), Flow.node("n", inner, Flow.to("end")));
    Term mi = Flow.instances("m", InstancePolicy.fixed(2), Flow.call("D"));
    Term body = Flow.par(Flow.scope("R", mi), C);
    Play play = Play.start(of(body).withDefinitions(Flow.definition("D", graph)));
    play.done("A");
    play.done("B");

    Term newInner = Flow.repeat(3, Flow.seq(X, A, B));
    Term newGraph = Flow.graph(Flow.to("n"), Flow.node("n", newInner, Flow.to("end")));
    Term newBody = Flow.seq(Play.pure("p"), Flow.par(Flow.scope("R", X, mi), Flow.seq(C, X)));
    Play after =
        moved(play, of(newBody).withDefinitions(Flow.definition("D", Flow.seq(newGraph, X))));

    assertThat(after.done("A")).isEqualTo("A- B+");
    assertThat(after.done("B")).isEqualTo("B- X+");
    assertThat(after.done("X")).isEqualTo("X- A+");
    assertThat(after.done("C")).isEqualTo("C- X+");
  }

  @Test
  void rounds_of_a_loop_are_kept_when_it_gets_another_count() {
    Play play = Play.start(Flow.repeat(3, A));
    play.done("A");

    Play after = moved(play, of(Flow.repeat(10, A), B));

    assertThat(after.done("A")).isEqualTo("A- A+");
    assertThat(after.done("A")).isEqualTo("A- B+");
  }

  @Test
  void a_task_may_move_into_a_choice_or_a_loop_with_a_guard() {
    Play play = Play.start(A, B);
    Guard once = Guard.named("once", context -> !context.has("a"));

    Play after = moved(play, of(Flow.repeatUntil(Guard.named("no", c -> false), Flow.seq(A, B))));
    Play chosen = moved(play, of(Flow.xor(Flow.when(once, A), Flow.otherwise(C)), X));

    after.done("A");
    assertThat(after.done("B")).isEqualTo("B- A+");
    assertThat(chosen.done("A")).isEqualTo("A- X+");
  }

  @Test
  void a_request_that_a_task_function_made_itself_is_still_known() {
    Term wants = Flow.task("W", c -> new TaskResult.Wants(new EffectSpec("mail", c, "key"), c));
    Play play = Play.start(wants);

    Migration moved = plan(play, of(A, wants), Mapping.NONE);

    assertThat(moved).isInstanceOf(Migrated.class);
    if (moved instanceof Migrated(var state)) {
      EffectSpec spec = state.pendingEffects().getFirst().spec();
      assertThat(spec).isEqualTo(new EffectSpec("mail", Context.empty(), "key"));
    }
  }

  @Test
  void what_must_be_undone_is_undone_by_the_new_text() {
    Term done = Flow.effect("A").undo(Flow.effect("U"));
    Term newDone = Flow.effect("A").undo(Flow.effect("V"));
    Play play = Play.start(Flow.scope("R", ScopeOptions.undoing(), done, B));
    play.done("A");

    Play after = moved(play, of(Flow.scope("R", ScopeOptions.undoing(), newDone, X, B)));

    assertThat(after.kill("R")).isEqualTo("B× V+");
  }

  @Test
  void an_undoing_that_is_under_way_goes_on() {
    Term first = Flow.effect("A").undo(Flow.effect("U"));
    Term second = Flow.effect("B").undo(Flow.effect("V"));
    Play play = Play.start(Flow.scope("R", ScopeOptions.undoing(), first, second, C));
    play.done("A");
    play.done("B");
    assertThat(play.kill("R")).isEqualTo("C× V+");

    Term more = Flow.effect("B").undo(Flow.seq(Flow.effect("V"), Flow.effect("W")));
    Play after = moved(play, of(Flow.scope("R", ScopeOptions.undoing(), X, first, more, C)));

    assertThat(after.done("V")).isEqualTo("V- W+");
    assertThat(after.done("W")).isEqualTo("W- U+");
  }

  @Test
  void time_outs_keep_their_time_are_dropped_with_the_text_and_count_from_the_move() {
    ScopeOptions slow = new ScopeOptions(Duration.ofSeconds(9), null, null, false, null);
    Term timed = Flow.effect("A").timeout(Duration.ofSeconds(5));
    Term later = Flow.effect("A").timeout(Duration.ofSeconds(50));
    Play play = Play.start(timed);
    play.advance(1_000);
    Play scoped = Play.start(Flow.scope("R", slow, A));
    Play plain = Play.start(Flow.scope("R", A));
    plain.advance(1_000);

    assertThat(moved(play, of(later)).state.nextDue()).isEqualTo(OptionalLong.of(5_000));
    assertThat(moved(play, of(A)).state.nextDue()).isEmpty();
    assertThat(moved(scoped, of(Flow.scope("R", A))).state.nextDue()).isEmpty();
    assertThat(moved(plain, of(Flow.scope("R", slow, timed))).state.nextDue())
        .isEqualTo(OptionalLong.of(6_000));
    assertThat(moved(plain, of(Flow.scope("R", slow, A))).state.nextDue())
        .isEqualTo(OptionalLong.of(10_000));
  }

  @Test
  void a_wait_may_get_another_alternative_and_a_timer() {
    WorkflowDefinition before =
        of(Flow.defer(Flow.taking("p", A))).withPlaces(Place.external("p"), Place.external("q"));
    Play play = Play.start(before);
    Term more =
        Flow.defer(Flow.after(Duration.ofSeconds(2), C), Flow.taking("q", B), Flow.taking("p", A));
    WorkflowDefinition next = of(more).withPlaces(Place.external("p"), Place.external("q"));

    assertThat(moved(play, next).signal("q")).isEqualTo("B+");
    assertThat(moved(play, next).signal("p")).isEqualTo("A+");
    assertThat(moved(play, next).advance(2_000)).isEqualTo("C+");
  }

  @Test
  void a_deadlocked_case_may_be_moved_out_of_its_deadlock() {
    Play play = Play.start(Flow.par(Flow.take("p"), Flow.skip()));
    assertThat(play.status()).isEqualTo(Status.DEADLOCKED);

    Play after =
        moved(play, of(Flow.par(Flow.take("p"), Flow.skip())).withPlaces(Place.external("p")));
    after.signal("p");

    assertThat(after.status()).isEqualTo(Status.COMPLETED);
  }

  @Test
  void new_places_start_with_what_they_are_declared_with() {
    Play play = Play.start(A);

    Play after = moved(play, of(A, Flow.take("p"), B).withPlaces(Place.mutex("p")));

    assertThat(after.done("A")).isEqualTo("A- B+");
  }

  @Test
  void a_case_that_has_ended_is_refused() {
    assertThat(refused(Play.start(Flow.skip()), of(A))).first().asString().contains("has ended");
  }

  @Test
  void a_task_that_is_gone_is_refused() {
    assertThat(refused(Play.start(A, B), of(B)))
        .containsExactly("task A waits at do[0]; the new version has no such construct there");
  }

  @Test
  void a_task_that_stands_inside_something_else_is_refused_with_its_place() {
    Play play = Play.start(A, B);

    assertThat(refused(play, of(Flow.par(A, B))))
        .containsExactly(
            "task A waits at do[0]; the new version has no such construct there; found at"
                + " do.par[0]");
    assertThat(refused(play, of(Flow.scope("R", A), B))).hasSize(1);
    assertThat(refused(play, of(Flow.repeat(2, A), B))).hasSize(1);
  }

  @Test
  void a_task_in_another_branch_is_refused() {
    Play play = Play.start(Flow.par(A, B));

    assertThat(refused(play, of(Flow.par(B, A)))).hasSize(2);
  }

  @Test
  void an_open_block_with_another_number_of_branches_is_refused() {
    assertThat(refused(Play.start(Flow.par(A, B)), of(Flow.par(A, B, C))))
        .containsExactly(
            "the block is open at do; the new version has 3 branches there instead of 2");
  }

  @Test
  void one_of_several_that_cannot_be_told_apart_is_refused() {
    Play play = Play.start(A, A);

    assertThat(refused(play, of(A, A, A))).first().asString().contains("ambiguous");
  }

  @Test
  void a_task_that_is_now_a_function_is_refused() {
    assertThat(refused(Play.start(A), of(Play.pure("A")))).first().asString().contains("function");
  }

  @Test
  void a_scope_that_held_other_places_is_refused() {
    WorkflowDefinition before =
        of(Flow.holding("R", "p", A)).withPlaces(Place.mutex("p"), Place.mutex("q"));
    WorkflowDefinition next =
        of(Flow.holding("R", "q", A)).withPlaces(Place.mutex("p"), Place.mutex("q"));

    assertThat(refused(Play.start(before), next)).first().asString().contains("other places");
  }

  @Test
  void a_place_that_is_gone_with_its_tokens_is_refused() {
    WorkflowDefinition before = of(A, Flow.take("p")).withPlaces(Place.mutex("p"));

    assertThat(refused(Play.start(before), of(A)))
        .containsExactly("place p holds 1 tokens; the new version has none");
  }

  @Test
  void a_place_that_keeps_nothing_any_more_is_refused_with_its_tokens() {
    WorkflowDefinition before = of(A).withPlaces(Place.mutex("p"));

    assertThat(refused(Play.start(before), of(A).withPlaces(Place.trigger("p"))))
        .containsExactly("place p is transient, but not empty");
  }

  @Test
  void two_places_are_not_made_one() {
    WorkflowDefinition before = of(A).withPlaces(Place.mutex("p"), Place.mutex("q"));
    Mapping mapping = Mapping.NONE.place("p", "q");

    assertThat(refused(Play.start(before), of(A).withPlaces(Place.mutex("q")), mapping))
        .containsExactly("the mapping maps two places to one: p and q");
  }

  @Test
  void an_undo_that_is_gone_is_refused() {
    Term done = Flow.effect("A").undo(Flow.effect("U"));
    Play play = Play.start(Flow.scope("R", ScopeOptions.undoing(), done, B));
    play.done("A");

    assertThat(refused(play, of(Flow.scope("R", ScopeOptions.undoing(), A, B))))
        .containsExactly(
            "task A may have to be undone at do.do[0]; the new version has no undo for it");
    assertThat(refused(play, of(Flow.scope("R", ScopeOptions.undoing(), B)))).hasSize(1);
  }

  @Test
  void a_scope_that_undoes_no_more_is_refused_while_it_has_something_to_undo() {
    Term done = Flow.effect("A").undo(Flow.effect("U"));
    Term inner = Flow.scope("R", ScopeOptions.undoing(), done, B);
    Play play = Play.start(Flow.scope("S", ScopeOptions.undoing(), inner));
    play.done("A");

    Term next = Flow.scope("S", ScopeOptions.undoing(), Flow.scope("R", done, B));

    assertThat(refused(play, of(next)))
        .containsExactly("scope R has tasks to undo, but undo is not enabled");
  }

  @Test
  void a_handler_that_an_undoing_leads_to_and_that_is_gone_is_refused() {
    Term done = Flow.effect("A").undo(Flow.effect("U"));
    ScopeOptions catching = new ScopeOptions(null, null, C, true, null);
    Play play = Play.start(Flow.scope("R", catching, done, B));
    play.done("A");
    assertThat(play.fail("B", "boom")).isEqualTo("B! U+");

    assertThat(refused(play, of(Flow.scope("R", ScopeOptions.undoing(), done, B))))
        .containsExactly("a scope is being undone, but cannot end that way");
  }

  @Test
  void a_graph_that_is_open_and_has_other_arcs_is_refused() {
    Term before =
        Flow.graph(
            Flow.to("a"), Flow.node("a", A, Flow.to("b")), Flow.node("b", B, Flow.to("end")));
    Term next =
        Flow.graph(
            Flow.to("a"), Flow.node("a", A, Flow.to("end")), Flow.node("b", B, Flow.to("end")));

    assertThat(refused(Play.start(before), of(next))).first().asString().contains("arcs");
  }

  @Test
  void a_loop_that_counts_around_a_task_that_was_in_none_is_refused() {
    assertThat(refused(Play.start(A), of(Flow.repeat(2, A))))
        .first()
        .asString()
        .contains("inside 1 instead of 0 counting loops");
  }

  @Test
  void a_join_that_would_have_gone_on_is_refused() {
    Term all = Flow.join(JoinPolicy.all(), A, B);
    Term one = Flow.join(JoinPolicy.partial(1), A, B);
    Play play = Play.start(all);
    play.done("A");

    assertThat(refused(play, of(one)))
        .containsExactly("the block at do would already have continued");
  }

  @Test
  void a_wait_for_what_is_already_there_is_refused() {
    WorkflowDefinition before =
        of(Flow.par(Flow.take("p"), A)).withPlaces(Place.external("p"), Place.mutex("q"));
    Term either = Flow.defer(Flow.taking("p", Flow.skip()), Flow.taking("q", Flow.skip()));
    WorkflowDefinition next =
        of(Flow.par(either, A)).withPlaces(Place.external("p"), Place.mutex("q"));

    assertThat(refused(Play.start(before), next)).first().asString().contains("already available");
  }

  @Test
  void instances_that_need_to_be_counted_differently_are_refused() {
    Play play = Play.start(Flow.instances("m", InstancePolicy.fixed(3), A));
    WorkflowDefinition few = of(Flow.instances("m", InstancePolicy.fixed(3).need(2), A));

    assertThat(refused(play, few))
        .containsExactly("instances m does not have the number that must complete");
  }

  @Test
  void a_case_that_has_delivered_cannot_go_where_that_is_the_end() {
    Term rest = Flow.join(JoinPolicy.partial(1), A, B);
    Play play = Play.start(rest);
    play.done("A");
    assertThat(play.status()).isEqualTo(Status.WAITING);

    assertThat(refused(play, of(rest).withMode(Mode.EXPLICIT)))
        .containsExactly("the case has delivered its result and would have ended");
  }

  @Test
  void a_name_in_the_mapping_that_nobody_has_is_refused() {
    Mapping mapping = Mapping.NONE.task("Ax", "A").scope("R", "S");

    assertThat(refused(Play.start(A), of(A), mapping))
        .containsExactly(
            "the mapping names task Ax; this version has none",
            "the mapping names scope R; this version has none",
            "the mapping names scope S; the new version has none");
  }
}
