package dev.damask.exec;

import static dev.damask.exec.Play.everywhere;
import static dev.damask.exec.Steps.VALID;
import static dev.damask.exec.Steps.leaf;
import static dev.damask.exec.Steps.spawns;
import static dev.damask.exec.Steps.step;
import static dev.damask.exec.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.Status;
import dev.damask.program.Listing;
import dev.damask.program.Program;
import dev.damask.term.Flow;
import dev.damask.term.StepNode;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Process instances as a part of a program.
final class GroupEnterTest {
  @Test
  void the_context_names_the_first_step() {
    WorkflowDefinition flow = workflow("B", step("A", spawns("B")), leaf("B"));

    everywhere(
        flow,
        play -> {
          assertThat(play.see()).isEqualTo("B+");
          play.done("B", VALID.with("x", 1));
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
          assertThat(play.result().get("x")).isEqualTo(1L);
        });
  }

  @Test
  void an_unknown_first_step_fails_the_case() {
    Play play = Play.start(workflow("Nobody", leaf("B")));

    assertThat(play.status()).isEqualTo(Status.FAILED);
    assertThat(play.state.failure().orElseThrow().detail()).contains("Nobody");
  }

  @Test
  void what_stands_behind_runs_once_when_every_process_has_ended() {
    WorkflowDefinition flow =
        Flow.workflow(
                "w",
                new Term.Processes(List.of(step("A", spawns("B", "B")), leaf("B"))),
                Play.pure("z"))
            .withContext(Context.of(StepNode.ENTRY, "A"));

    everywhere(
        flow,
        play -> {
          play.done("A", VALID);
          assertThat(play.done("B", VALID)).isEqualTo("B- B:v");
          assertThat(play.done("B", VALID)).isEqualTo("B- B:v z");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void a_case_in_which_no_process_was_evaluated_is_cancelled() {
    Play play = Play.start(workflow("A", leaf("A")));

    assertThat(play.cancelTask("A")).isEqualTo("A† A×");
    assertThat(play.status()).isEqualTo(Status.CANCELLED);
  }

  @Test
  void a_listing_shows_steps_branches_and_joins() {
    Program program =
        Compiler.compile(
            workflow(
                "A", step("A", spawns(Steps.join("J", 1, "kill", "G valid"), "G")), leaf("J")));

    String listing = Listing.raw(program);

    assertThat(listing)
        .contains("GROUP_ENTER [A@", "STEP_GATE G", "SPAWN A valid [G] join J 1 of [G valid] kill");
    assertThat(Listing.optimised(program)).contains("SPAWN J valid [] invalid []");
  }
}
