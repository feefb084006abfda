package dev.damask.exec;

import static dev.damask.exec.Play.everywhere;
import static dev.damask.exec.Steps.INVALID;
import static dev.damask.exec.Steps.VALID;
import static dev.damask.exec.Steps.join;
import static dev.damask.exec.Steps.leaf;
import static dev.damask.exec.Steps.spawns;
import static dev.damask.exec.Steps.step;
import static dev.damask.exec.Steps.sure;
import static dev.damask.exec.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.Status;
import dev.damask.term.StepNode;
import dev.damask.term.WorkflowDefinition;
import org.junit.jupiter.api.Test;

/// The scenarios X1 to X6: joins of process instances that can no longer be fulfilled.
final class UnfulfillableJoinTest {
  @Test
  void x1_all_is_given_up_as_soon_as_one_source_is_lost() {
    WorkflowDefinition flow =
        workflow(
            "A", sure("A", spawns(join("J1", 2, "drain", "G1 valid", "H1 valid"), "G1", "H1")));

    everywhere(
        flow,
        play -> {
          play.see();
          assertThat(play.done("G1", INVALID)).isEqualTo("G1- G1:i join⊘ J1†");
          assertThat(play.done("H1", VALID)).isEqualTo("H1- H1:v");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
    everywhere(
        flow,
        play -> {
          play.see();
          assertThat(play.done("G1", VALID)).isEqualTo("G1- G1:v");
          assertThat(play.done("H1", VALID)).isEqualTo("H1- H1:v J1+");
        });
  }

  @Test
  void x2_two_of_three_survive_one_loss_and_not_two() {
    WorkflowDefinition flow =
        workflow(
            "A",
            sure(
                "A",
                spawns(
                    join("J1", 2, "drain", "G1 valid", "H1 valid", "I1 valid"), "G1", "H1", "I1")));

    everywhere(
        flow,
        play -> {
          play.see();
          assertThat(play.done("G1", INVALID)).isEqualTo("G1- G1:i");
          assertThat(play.done("I1", INVALID)).isEqualTo("I1- I1:i join⊘ J1†");
        });
  }

  @Test
  void x3_a_way_back_keeps_the_join_open_while_somebody_is_on_it() {
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns(join("J1", 2, "drain", "G1 valid", "H1 valid"), "G1", "H1")),
            step("G1", StepNode.Branch.NONE, spawns("R1")),
            step("R1", spawns("G1")));

    everywhere(
        flow,
        play -> {
          play.done("H1", VALID);
          assertThat(play.done("G1", INVALID)).isEqualTo("G1- G1:i R1+");
          assertThat(play.done("R1", VALID)).isEqualTo("R1- R1:v G1+");
          assertThat(play.done("G1", INVALID)).isEqualTo("G1- G1:i R1+");
          assertThat(play.done("R1", INVALID)).isEqualTo("R1- R1:i join⊘ J1†");
        });
  }

  @Test
  void x4_a_join_whose_sources_are_spawned_elsewhere_is_given_up_when_it_is_opened() {
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns("G1", "B")),
            step("B", spawns(join("J1", 1, "drain", "G1 valid"), "C")));

    everywhere(
        flow,
        play -> {
          play.see();
          assertThat(play.done("B", VALID)).isEqualTo("B- B:v join⊘ J1† C+");
          assertThat(play.done("G1", VALID)).isEqualTo("G1- G1:v");
          assertThat(play.done("C", VALID)).isEqualTo("C- C:v");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void x5_the_target_of_an_inner_join_stays_in_the_group() {
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns(join("J1", 1, "drain", "H1 valid"), "G1")),
            step("G1", spawns(join("N1", 1, "drain", "P valid"), "P")),
            step("N1", spawns("H1")));

    everywhere(
        flow,
        play -> {
          play.see();
          assertThat(play.done("G1", VALID)).isEqualTo("G1- G1:v P+");
          assertThat(play.done("P", VALID)).isEqualTo("P- P:v N1+");
          assertThat(play.done("N1", VALID)).isEqualTo("N1- N1:v H1+");
          assertThat(play.done("H1", VALID)).isEqualTo("H1- H1:v J1+");
        });
  }

  @Test
  void x6_an_inner_join_that_cannot_be_fulfilled_leads_nowhere() {
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns(join("J1", 1, "drain", "H1 valid"), "G1")),
            step("G1", spawns(join("N1", 1, "drain", "Q valid"), "P")),
            step("N1", spawns("H1")));

    everywhere(flow, play -> assertThat(play.see()).isEqualTo("A:v join⊘ J1† G1+"));
  }

  @Test
  void a_lost_target_is_lost_for_the_join_around_it_too() {
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns(join("J", 1, "kill", "K valid"), "C")),
            step("C", spawns(join("K", 1, "kill", "D valid"), "D", "E")));

    everywhere(
        flow,
        play -> {
          play.done("C", VALID);
          assertThat(play.done("D", INVALID)).isEqualTo("D- D:i join⊘ K† join⊘ J†");
          assertThat(play.done("E", VALID)).isEqualTo("E- E:v");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void a_source_that_no_branch_can_reach_in_the_group_is_lost_from_the_beginning() {
    WorkflowDefinition flow =
        workflow(
            "A",
            sure("A", spawns(join("J", 2, "drain", "B valid", "E valid"), "B", "C")),
            step("C", spawns(join("K", 1, "drain", "E valid"), "E")));

    everywhere(flow, play -> assertThat(play.see()).isEqualTo("A:v join⊘ J† B+ C+"));
  }

  @Test
  void joins_nested_three_hundred_deep_are_given_up_one_after_the_other() {
    WorkflowDefinition flow =
        workflow("W", step("W", spawns(join("J", 1, "drain", "W any", "J valid"), "W")), leaf("J"));
    Play play = Play.start(flow);
    for (int i = 0; i < 300; i++) {
      play.done("W", VALID);
    }

    play.done("W", Steps.outcome("aborted"));

    assertThat(play.state.isDone() || play.state.isBlocked()).isTrue();
  }
}
