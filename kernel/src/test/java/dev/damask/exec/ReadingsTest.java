package dev.damask.exec;

import static dev.damask.exec.Play.everywhere;
import static dev.damask.exec.Play.pure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.Status;
import dev.damask.event.TraceEvent;
import dev.damask.task.Guard;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Points of the specification that can be read in two ways, one test for each.
final class ReadingsTest {
  private static int tokenOf(Split start) {
    Play play = Play.start(Flow.graph(start, Flow.node("a", Flow.effect("A"), Flow.to("end"))));
    return play.token("A").number();
  }

  @Test
  void splits_into_several_make_a_new_token_also_for_one_target_and_others_move_the_token() {
    Guard yes = Guard.named("yes", context -> true);
    Guard no = Guard.named("no", context -> false);
    int moved = tokenOf(Flow.to("a"));

    assertThat(tokenOf(Flow.toFirst(Flow.arc(yes, "a"), Flow.otherwiseTo("end")))).isEqualTo(moved);
    assertThat(tokenOf(new Split.And(List.of("a", "end")))).isGreaterThan(moved);
    assertThat(tokenOf(new Split.Copies(1, "a"))).isGreaterThan(moved);
    assertThat(tokenOf(Flow.toEach(Flow.arc(yes, "a"), Flow.arc(no, "end")))).isGreaterThan(moved);
  }

  @Test
  void an_arc_to_the_end_of_an_explicit_graph_has_its_turn_in_the_order_of_the_arcs() {
    Term graph =
        new Term.Graph(
            Mode.EXPLICIT,
            Merge.Standard.NEWEST,
            new Split.And(List.of("a", "end", "b")),
            List.of(
                Flow.node("a", Flow.effect("A"), Flow.to("end")),
                Flow.node("b", Flow.effect("B"), Flow.to("end"))));

    everywhere(
        graph,
        play -> {
          assertThat(play.see()).isEqualTo("A+ A×");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  /// A join that cancels nodes: one whose body is a scope, one whose body is a task, and itself.
  private static Term cancelling() {
    return Flow.graph(
        new Split.And(List.of("p", "x", "y")),
        Flow.node("p", Flow.effect("P"), Flow.to("j")),
        Flow.node("x", Flow.scope("r", Flow.effect("X")), Flow.to("j")),
        Flow.node("y", Flow.effect("Y"), Flow.to("j")),
        Flow.node(
            "j",
            new Node.Join.Cancelling(1, List.of("p", "x", "y"), List.of("x", "y", "j"), false),
            Flow.effect("J"),
            Flow.to("end")));
  }

  @Test
  void what_a_join_cancels_goes_by_token_id_and_never_with_the_token_that_fires_it() {
    everywhere(
        cancelling(),
        play -> {
          play.see();
          assertThat(play.token("X").number()).isLessThan(play.token("Y").number());
          assertThat(play.done("P")).isEqualTo("P- X× Y× J+");
          assertThat(play.done("J")).isEqualTo("J-");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void the_rest_of_a_block_is_withdrawn_by_token_id_not_by_branch() {
    Term first = Flow.seq(Flow.effect("A"), Flow.par(Flow.effect("B"), Flow.effect("C")));
    Term block = Flow.join(JoinPolicy.firstComplete(), first, Flow.effect("D"), Flow.effect("E"));

    everywhere(
        block,
        play -> {
          play.done("A");
          assertThat(play.done("E")).isEqualTo("E- D× B× C×");
        });
  }

  @Test
  void the_rest_of_a_set_is_withdrawn_by_token_id_not_by_instance() {
    Term body =
        Flow.xor(
            Flow.when(
                Guard.named("first", context -> Long.valueOf(1).equals(context.get("index"))),
                Flow.seq(Flow.effect("A"), Flow.par(Flow.effect("B"), Flow.effect("C")))),
            Flow.otherwise(Flow.effect("D")));
    InstancePolicy policy = InstancePolicy.fixed(3).need(1).rest(JoinPolicy.Rest.CANCEL);

    everywhere(
        Flow.instances("m", policy, body),
        play -> {
          play.done("A");
          assertThat(play.done("D")).isEqualTo("D- D× B× C×");
        });
  }

  @Test
  void a_blocking_round_that_is_half_filled_when_nothing_can_move_is_a_deadlock() {
    Term graph =
        Flow.graph(
            new Split.And(List.of("a", "b")),
            Flow.node("a", Flow.effect("A"), Flow.to("j")),
            Flow.node("b", Flow.take("nowhere"), Flow.to("j")),
            Flow.node(
                "j",
                new Node.Join.Blocking(2, List.of("a", "b"), false),
                Flow.skip(),
                Flow.to("end")));

    everywhere(
        graph,
        play -> {
          play.done("A");
          assertThat(play.status()).isEqualTo(Status.DEADLOCKED);
          assertThat(play.outcome().toString())
              .contains("the join of node 'j' has tokens from [a] and waits for [b]");
        });
  }

  @Test
  void an_addition_from_outside_goes_to_the_oldest_open_activation_and_from_inside_to_the_own() {
    Term open = Flow.instances("m", InstancePolicy.fixed(1).opened(), Flow.effect("A"));
    Term adding =
        Flow.instances(
            "m", InstancePolicy.fixed(1).opened(), Flow.effect("B"), adds(), Flow.effect("C"));

    everywhere(
        Flow.par(open, adding),
        play -> {
          play.see();
          assertThat(play.add("m")).isEqualTo("A+");
          assertThat(play.done("B")).isEqualTo("B- C+ B+");
        });
  }

  /// Adds one instance, from the first instance only.
  private static Term adds() {
    Guard first = Guard.named("first", context -> Long.valueOf(1).equals(context.get("index")));
    return Flow.xor(Flow.when(first, Flow.emit("m.add")), Flow.otherwise(Flow.skip()));
  }

  @Test
  void an_addition_from_outside_to_a_set_that_is_not_open_is_rejected() {
    everywhere(
        Flow.instances("m", InstancePolicy.fixed(1), Flow.effect("A")),
        play -> {
          play.see();
          assertThat(play.add("m")).isEmpty();
          assertThat(play.reply).isEqualTo(Reply.REJECTED);
          assertThat(play.apply(new Input.CloseInstances("m"))).isEmpty();
          assertThat(play.reply).isEqualTo(Reply.REJECTED);
        });
  }

  @Test
  void an_open_set_fires_when_it_has_run_out() {
    everywhere(
        Flow.seq(
            Flow.instances("m", InstancePolicy.fixed(1).opened(), Flow.effect("A")),
            Flow.effect("B")),
        play -> assertThat(play.done("A")).isEqualTo("A- B+"));
  }

  @Test
  void timers_that_are_due_together_fire_one_at_a_time_the_longest_waiting_first() {
    Term first =
        new Term.Defer(
            List.of(
                Flow.after(Duration.ofSeconds(2), Flow.seq(pure("a"), Flow.kill("r"))),
                Flow.taking("nowhere", Flow.skip())));
    Term second =
        Flow.seq(
            Flow.effect("W"),
            Flow.scope(
                "r",
                new Term.Defer(
                    List.of(
                        Flow.after(Duration.ofSeconds(1), pure("b")),
                        Flow.taking("nowhere", Flow.skip())))));

    everywhere(
        Flow.join(JoinPolicy.syncMerge(), first, second),
        play -> {
          play.advance(1_000);
          play.done("W");
          assertThat(play.advance(1_000)).isEqualTo("a");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  private static final Term DRAINING =
      Flow.seq(
          Flow.join(
              JoinPolicy.detach(),
              Flow.scope("r", ScopeOptions.catching(pure("caught")), Flow.effect("L")),
              Flow.effect("M")),
          Flow.effect("A"));

  @Test
  void cancelling_a_case_that_only_drains_leaves_it_completed() {
    everywhere(
        DRAINING,
        play -> {
          play.done("A", Context.of("k", 1));
          assertThat(play.status()).isEqualTo(Status.WAITING);
          assertThat(play.kill("case")).isEqualTo("L× M×");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
          assertThat(play.result()).isEqualTo(Context.of("k", 1));
        });
  }

  @Test
  void a_leftover_that_fails_after_the_result_changes_nothing_and_is_not_caught() {
    everywhere(
        DRAINING,
        play -> {
          play.done("A", Context.of("k", 1));
          assertThat(play.fail("L", "boom")).isEqualTo("L!");
          assertThat(play.status()).isEqualTo(Status.WAITING);
          assertThat(play.fail("M", "boom")).isEqualTo("M!");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
          assertThat(play.result()).isEqualTo(Context.of("k", 1));
          assertThat(play.events())
              .anyMatch(event ->
                  event.kind() == TraceEvent.Kind.RAISED
                      && event.subject().equals("M")
                      && event.detail().equals("late"));
        });
  }

  @Test
  void before_the_result_a_leftover_that_fails_is_caught_or_fails_the_case() {
    everywhere(DRAINING, play -> assertThat(play.fail("L", "boom")).isEqualTo("L! caught"));
    everywhere(
        DRAINING,
        play -> {
          play.fail("M", "boom");
          assertThat(play.status()).isEqualTo(Status.FAILED);
        });
  }

  @Test
  void a_construct_among_the_leftovers_that_fails_after_the_result_ends_alone() {
    Term conflict =
        new Term.Par(
            List.of(
                Flow.seq(Flow.effect("L"), pure("l", c -> c.with("k", 1))),
                Flow.seq(Flow.effect("M"), pure("m", c -> c.with("k", 2)))),
            Merge.Standard.FAIL);
    Term timed =
        Flow.scope(
            "t",
            new ScopeOptions(Duration.ofSeconds(1), null, null, false, null),
            Flow.effect("T"));

    everywhere(
        Flow.seq(Flow.join(JoinPolicy.detach(), conflict, timed), Flow.effect("A")),
        play -> {
          play.done("A");
          play.done("L");
          assertThat(play.done("M")).isEqualTo("M- m");
          assertThat(play.advance(1_000)).isEqualTo("T×");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void the_undo_of_an_instances_task_carries_the_label_of_the_instance() {
    Term inner =
        Flow.instances("n", InstancePolicy.fixed(1), Flow.effect("A").undo(Flow.effect("U")));
    Term outer =
        Flow.scope(
            "r",
            new ScopeOptions(null, null, Flow.skip(), true, null),
            Flow.seq(Flow.instances("m", InstancePolicy.fixed(2), inner), Flow.effect("B")));

    everywhere(
        outer,
        play -> {
          play.done("A");
          play.done("A");
          play.fail("B", "boom");
          assertThat(play.state.pendingEffects().getFirst().label()).isEqualTo("2.1");
          play.done("U");
          assertThat(play.state.pendingEffects().getFirst().label()).isEqualTo("1.1");
        });
  }

  @Test
  void a_wait_for_two_places_of_which_one_is_never_marked_is_a_deadlock_that_names_it() {
    WorkflowDefinition workflow =
        Flow.workflow("w", new Term.Defer(List.of(Flow.takingAll(List.of("s", "p"), Flow.skip()))))
            .withPlaces(Place.external("s"));

    everywhere(
        workflow,
        play -> {
          play.signal("s");
          assertThat(play.reply).isEqualTo(Reply.BUFFERED);
          assertThat(play.status()).isEqualTo(Status.DEADLOCKED);
          assertThat(play.outcome().toString()).contains("waits for p, s; p can never be marked");
        });
  }

  @Test
  void a_wait_for_an_external_place_and_one_that_is_marked_waits() {
    WorkflowDefinition workflow =
        Flow.workflow("w", new Term.Defer(List.of(Flow.takingAll(List.of("s", "p"), Flow.skip()))))
            .withPlaces(Place.external("s"), Place.mutex("p"));

    everywhere(
        workflow,
        play -> {
          assertThat(play.status()).isEqualTo(Status.WAITING);
          play.signal("s");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }
}
