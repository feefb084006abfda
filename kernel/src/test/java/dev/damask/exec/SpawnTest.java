package dev.damask.exec;

import static dev.damask.exec.Play.everywhere;
import static dev.damask.exec.Steps.INVALID;
import static dev.damask.exec.Steps.VALID;
import static dev.damask.exec.Steps.join;
import static dev.damask.exec.Steps.leaf;
import static dev.damask.exec.Steps.outcome;
import static dev.damask.exec.Steps.spawns;
import static dev.damask.exec.Steps.step;
import static dev.damask.exec.Steps.sure;
import static dev.damask.exec.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.Input;
import dev.damask.event.Status;
import dev.damask.term.StepNode;
import dev.damask.term.WorkflowDefinition;
import org.junit.jupiter.api.Test;

/// What follows from the evaluation of a process: children, groups, joins.
final class SpawnTest {
  @Test
  void an_any_join_takes_the_first_and_ignores_the_second_under_drain() {
    WorkflowDefinition flow =
        workflow("A", sure("A", spawns(join("J", 1, "drain", "G valid", "H valid"), "G", "H")));

    everywhere(
        flow,
        play -> {
          assertThat(play.see()).isEqualTo("A:v G+ H+");
          assertThat(play.done("H", VALID.with("x", 1))).isEqualTo("H- H:v J+");
          assertThat(play.done("G", VALID.with("x", 2))).isEqualTo("G- G:v");
          assertThat(play.done("J", VALID)).isEqualTo("J- J:v");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
          assertThat(play.result().get("x")).isEqualTo(1L);
        });
  }

  @Test
  void a_running_producer_may_finish_after_a_kill_but_starts_nothing_more() {
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns(join("J", 1, "kill", "G valid", "H valid"), "G", "H")),
            step("H", spawns("K")));

    everywhere(
        flow,
        play -> {
          play.see();
          assertThat(play.done("G", VALID)).isEqualTo("G- G:v J+");
          assertThat(play.done("H", VALID)).isEqualTo("H- H:v");
          assertThat(play.done("J", VALID)).isEqualTo("J- J:v");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void under_drain_a_late_producer_still_spawns() {
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns(join("J", 1, "drain", "G valid", "H valid"), "G", "H")),
            step("H", spawns("K")));

    everywhere(
        flow,
        play -> {
          play.done("G", VALID);
          assertThat(play.done("H", VALID)).isEqualTo("H- H:v K+");
        });
  }

  @Test
  void sources_are_merged_in_the_order_they_are_listed_not_in_the_order_they_came() {
    // E1: R first, then Q although it is invalid; Q stands before R in the list.
    WorkflowDefinition flow =
        workflow(
            "Quote",
            sure(
                "Quote",
                spawns(join("Pick", 2, "kill", "P valid", "Q any", "R valid"), "P", "Q", "R")));

    everywhere(
        flow,
        play -> {
          play.done("R", VALID.with("price", 7).with("src", "R"));
          String seen = play.done("Q", INVALID.with("price", 9).with("src", "Q").with("_m", 1));
          assertThat(seen).isEqualTo("Q- Q:i Pick+");
          var pick = play.state.processes().getLast().payload();
          play.done("P", VALID.with("price", 1));
          play.done("Pick", VALID);
          assertThat(pick.has("_m")).isFalse();
          assertThat(play.result().get("price")).isEqualTo(7L);
          assertThat(play.result().get("src")).isEqualTo("R");
        });
  }

  @Test
  void grandchildren_deliver_because_they_inherit_the_group() {
    // E2, first half.
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns(join("J", 2, "drain", "B valid", "E valid"), "B", "C")),
            step("C", spawns("D", "E")));

    everywhere(
        flow,
        play -> {
          play.done("B", VALID);
          assertThat(play.done("C", VALID)).isEqualTo("C- C:v D+ E+");
          assertThat(play.done("E", VALID)).isEqualTo("E- E:v J+");
        });
  }

  @Test
  void a_join_of_their_own_takes_grandchildren_out_of_the_group() {
    // E2, second half: E succeeds, but in another group. As long as C might turn out invalid, E
    // could still come in the group of J.
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns(join("J", 2, "drain", "B valid", "E valid"), "B", "C")),
            step("C", spawns(join("K", 1, "drain", "E valid"), "D", "E"), spawns("E")));

    everywhere(
        flow,
        play -> {
          play.done("B", VALID);
          assertThat(play.done("C", VALID)).isEqualTo("C- C:v join⊘ J† D+ E+");
          assertThat(play.done("E", VALID)).isEqualTo("E- E:v K+");
        });
  }

  @Test
  void a_back_loop_keeps_a_join_open_until_nobody_can_come_back() {
    // E3.
    WorkflowDefinition flow =
        workflow(
            "S",
            sure("S", spawns(join("J", 1, "drain", "W valid"), "W")),
            step("W", StepNode.Branch.NONE, spawns("W")));

    everywhere(
        flow,
        play -> {
          play.see();
          for (int i = 0; i < 3; i++) {
            assertThat(play.done("W", INVALID)).isEqualTo("W- W:i W+");
          }
          assertThat(play.done("W", outcome("aborted"))).isEqualTo("W- W:a W† join⊘ J†");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void a_nested_join_that_delivers_in_turn_closes_the_outer_one() {
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns(join("J", 2, "kill", "B valid", "K valid"), "B", "C")),
            step("C", spawns(join("K", 2, "kill", "D valid", "E valid"), "D", "E")),
            step("J", spawns("Z")));

    everywhere(
        flow,
        play -> {
          play.done("C", VALID);
          play.done("D", VALID.with("d", 1));
          assertThat(play.done("E", VALID.with("e", 1))).isEqualTo("E- E:v K+");
          play.done("B", VALID.with("b", 1));
          assertThat(play.done("K", VALID)).isEqualTo("K- K:v J+");
          assertThat(play.done("J", VALID)).isEqualTo("J- J:v Z+");
          play.done("Z", VALID);
          assertThat(play.result().has("d")).isTrue();
          assertThat(play.result().has("e")).isTrue();
          assertThat(play.result().has("b")).isTrue();
        });
  }

  @Test
  void killing_the_target_of_an_inner_join_decides_that_join_too() {
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns(join("J", 1, "kill", "B valid", "K valid"), "B", "C")),
            step("C", spawns(join("K", 1, "kill", "D valid"), "D")),
            sure("D", StepNode.Branch.NONE));

    everywhere(
        flow,
        play -> {
          play.apply(new Input.Signal("process.pause", dev.damask.value.Context.empty()));
          play.done("C", VALID);
          assertThat(play.done("B", VALID)).isEqualTo("B- B:v K† D†");
          assertThat(play.signal("process.resume")).isEqualTo("J+");
        });
  }

  @Test
  void a_cancelled_session_ends_every_process() {
    WorkflowDefinition flow = workflow("A", sure("A", spawns("B", "C")), leaf("B"), leaf("C"));

    everywhere(
        flow,
        play -> {
          play.see();
          assertThat(play.done("B", outcome("cancelled"))).isEqualTo("B- B:c C×");
          assertThat(play.status()).isEqualTo(Status.CANCELLED);
        });
  }

  @Test
  void one_process_fills_at_most_one_source() {
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns(join("J", 2, "drain", "W invalid", "W valid"), "W")),
            step("W", StepNode.Branch.NONE, spawns("W")));

    everywhere(
        flow,
        play -> {
          play.see();
          assertThat(play.done("W", INVALID)).isEqualTo("W- W:i W+");
          assertThat(play.done("W", INVALID)).isEqualTo("W- W:i W+");
          assertThat(play.done("W", VALID)).isEqualTo("W- W:v J+");
        });
  }

  @Test
  void the_sum_of_costs_has_a_limit() {
    WorkflowDefinition flow = workflow("W", step("W", spawns("W")));
    Play play =
        new Play(
            dev.damask.compile.Compiler.compile(flow),
            Play.Style.PLAIN,
            dev.damask.value.Context.of(StepNode.COST_MAX, 25L));

    play.done("W", VALID.with(Steps.COST, 10L));
    play.done("W", VALID.with(Steps.COST, 10L));
    play.done("W", VALID.with(Steps.COST, 10L));

    assertThat(play.status()).isEqualTo(Status.FAILED);
    assertThat(play.state.failure().orElseThrow().detail()).contains("25").contains("30");
  }

  @Test
  void the_number_of_processes_at_once_has_a_limit() {
    WorkflowDefinition flow = workflow("A", sure("A", spawns("A", "A")));

    Play play = Play.start(flow);

    assertThat(play.status()).isEqualTo(Status.FAILED);
    assertThat(play.state.failure().orElseThrow().detail()).contains("10000 processes");
  }
}
