package dev.damask.exec;

import static dev.damask.exec.Play.everywhere;
import static dev.damask.exec.Steps.VALID;
import static dev.damask.exec.Steps.join;
import static dev.damask.exec.Steps.spawns;
import static dev.damask.exec.Steps.step;
import static dev.damask.exec.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.ProcessView;
import dev.damask.event.Status;
import dev.damask.event.TraceEvent;
import dev.damask.term.Flow;
import dev.damask.term.StepFunction;
import dev.damask.term.StepNode;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.StepOutcome;
import dev.damask.value.StepResult;
import dev.damask.value.StepResult.Start;
import org.junit.jupiter.api.Test;

/// Processes that request an effect with their evaluation: it leaves when the children exist.
final class SendingTest {
  /// A step that is valid at once, sends something, and notes what came back.
  private static StepNode sender(String id, StepNode.Branch valid) {
    return new StepNode(
        id,
        Flow.task(id, (StepFunction) (given, _) -> evaluate(given)),
        valid,
        StepNode.Branch.NONE);
  }

  private static StepResult evaluate(Context given) {
    if (given.has(StepNode.SENDING)) {
      StepResult.Note note = new StepResult.Note("", String.valueOf(given.get("got")));
      return new StepResult.Evaluated(StepOutcome.VALID, Context.empty(), 0, note, Start.NOW);
    }
    return new StepResult.Evaluated(
        StepOutcome.VALID,
        Context.of("by", "sender"),
        0,
        StepResult.Note.NONE,
        new Start.After(1_000),
        EffectSpec.of("send"),
        Context.empty());
  }

  @Test
  void the_children_of_a_process_exist_when_its_effect_is_requested() {
    everywhere(
        workflow("A", sender("A", spawns("B"))),
        play -> {
          assertThat(play.see()).isEqualTo("A:v A+");
          assertThat(play.state.processes())
              .extracting(ProcessView::step, ProcessView::running)
              .containsExactly(org.assertj.core.groups.Tuple.tuple("B", false));

          assertThat(play.done("A", Context.of("got", "receipt"))).isEqualTo("A- A:sent");
          assertThat(play.advance(1_000)).isEqualTo("B+");
          assertThat(play.done("B", VALID)).isEqualTo("B- B:v");

          assertThat(play.status()).isEqualTo(Status.COMPLETED);
          assertThat(play.result()).isEqualTo(Context.of("by", "sender"));
          assertThat(play.events())
              .filteredOn(event -> event.kind() == TraceEvent.Kind.SENT)
              .extracting(TraceEvent::detail)
              .containsExactly("1 receipt");
        });
  }

  @Test
  void a_case_ends_after_what_its_last_process_sent() {
    everywhere(
        workflow("A", sender("A", spawns())),
        play -> {
          assertThat(play.status()).isEqualTo(Status.WAITING);
          play.done("A");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
          assertThat(play.result()).isEqualTo(Context.of("by", "sender"));
        });
  }

  @Test
  void a_process_that_sends_has_delivered_and_cannot_bring_about_more() {
    WorkflowDefinition both =
        workflow(
            "A",
            Steps.sure("A", spawns(join("J", 1, "kill", "G valid"), "G")),
            sender("G", spawns()));
    WorkflowDefinition other =
        workflow(
            "A",
            Steps.sure("A", spawns(join("J", 1, "drain", "H valid"), "G", "H")),
            sender("G", spawns("G")),
            step("H", spawns()));

    everywhere(both, play -> assertThat(play.see()).isEqualTo("A:v G:v G+ J+"));
    everywhere(
        other,
        play -> {
          play.see();
          assertThat(play.done("H", Steps.INVALID)).isEqualTo("H- H:i join⊘ J†");
          play.done("G");
        });
  }

  @Test
  void a_late_producer_of_a_killed_join_does_not_leave_the_result() {
    WorkflowDefinition flow =
        workflow(
            "A", Steps.sure("A", spawns(join("J", 1, "kill", "G valid", "H valid"), "G", "H")));

    everywhere(
        flow,
        play -> {
          play.done("G", VALID.with("x", "early"));
          play.done("J", VALID.with("x", "target"));
          play.done("H", VALID.with("x", "late"));
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
          assertThat(play.result().get("x")).isEqualTo("target");
        });
  }

  @Test
  void a_late_producer_inside_a_join_of_a_killed_join_does_not_leave_it_either() {
    WorkflowDefinition flow =
        workflow(
            "A",
            Steps.sure("A", spawns(join("J", 1, "kill", "G valid", "I valid"), "G", "H")),
            Steps.sure("H", spawns(join("I", 1, "drain", "K valid", "L valid"), "K", "L")));

    everywhere(
        flow,
        play -> {
          play.done("G", VALID.with("x", "early"));
          play.done("J", VALID.with("x", "target"));
          play.done("K", VALID.with("x", "late"));
          play.done("L", VALID.with("x", "later"));
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
          assertThat(play.result().get("x")).isEqualTo("target");
        });
  }
}
