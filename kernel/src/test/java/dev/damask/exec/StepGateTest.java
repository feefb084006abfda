package dev.damask.exec;

import static dev.damask.exec.Play.everywhere;
import static dev.damask.exec.Steps.VALID;
import static dev.damask.exec.Steps.join;
import static dev.damask.exec.Steps.leaf;
import static dev.damask.exec.Steps.spawns;
import static dev.damask.exec.Steps.step;
import static dev.damask.exec.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.Input;
import dev.damask.event.ProcessView;
import dev.damask.event.Reply;
import dev.damask.event.Status;
import dev.damask.term.StepNode;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Where a process waits before it begins.
final class StepGateTest {
  private static final WorkflowDefinition ARM =
      workflow("Arm", step("Arm", spawns("Doc")), leaf("Doc"));

  private static String wake(Play play, Map<String, ?> message) {
    play.see();
    return play.apply(new Input.Signal("process.wake", Context.from(message)));
  }

  @Test
  void children_begin_when_their_time_has_come() {
    everywhere(
        ARM,
        play -> {
          assertThat(play.done("Arm", VALID.with(Steps.WAIT, 600L))).isEqualTo("Arm- Arm:v");
          assertThat(play.status()).isEqualTo(Status.WAITING);
          assertThat(play.advance(599)).isEmpty();
          assertThat(play.advance(1)).isEqualTo("Doc+");
        });
  }

  @Test
  void an_absolute_time_wins_over_a_delay() {
    everywhere(
        ARM,
        play -> {
          play.done("Arm", VALID.with(Steps.WAIT, 600L).with(Steps.UNTIL, 50L));
          assertThat(play.advance(50)).isEqualTo("Doc+");
        });
  }

  @Test
  void waking_a_step_shortens_the_wait_and_lays_the_payload_over() {
    // E6.
    everywhere(
        ARM,
        play -> {
          play.done("Arm", VALID.with(Steps.WAIT, 600L).with("a", 1));
          play.advance(20);
          Map<String, ?> payload = Map.of("Hash", "ab", "_x", 1);
          assertThat(wake(play, Map.of("step", "Doc", "payload", payload))).isEqualTo("Doc+");
          assertThat(play.reply).isEqualTo(Reply.ACCEPTED);
          Context doc = play.state.processes().getFirst().payload();
          assertThat(doc.get("Hash")).isEqualTo("ab");
          assertThat(doc.get("a")).isEqualTo(1L);
          assertThat(doc.has("_x")).isFalse();
          play.done("Doc", VALID);
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
          assertThat(play.advance(1_000)).isEmpty();
        });
  }

  @Test
  void waking_a_process_leaves_the_others_at_the_step_alone() {
    WorkflowDefinition flow = workflow("Arm", step("Arm", spawns("Doc", "Doc")), leaf("Doc"));

    everywhere(
        flow,
        play -> {
          play.done("Arm", VALID.with(Steps.WAIT, 600L));
          assertThat(wake(play, Map.of("process", 3L))).isEqualTo("Doc+");
          assertThat(play.state.processes())
              .extracting(ProcessView::running)
              .containsExactly(false, true);
          wake(play, Map.of("process", 3L));
          assertThat(play.reply).isEqualTo(Reply.LOST);
          wake(play, Map.of("step", "Nobody"));
          assertThat(play.reply).isEqualTo(Reply.LOST);
        });
  }

  @Test
  void nothing_begins_while_paused_and_everything_due_begins_when_resumed() {
    everywhere(
        ARM,
        play -> {
          play.signal("process.pause");
          assertThat(play.state.isPaused()).isTrue();
          assertThat(play.done("Arm", VALID.with(Steps.WAIT, 10L))).isEqualTo("Arm- Arm:v");
          assertThat(play.advance(20)).isEmpty();
          assertThat(play.status()).isEqualTo(Status.WAITING);
          assertThat(play.signal("process.resume")).isEqualTo("Doc+");
        });
    everywhere(
        ARM,
        play -> {
          play.signal("process.pause");
          play.done("Arm", VALID);
          assertThat(play.status()).isEqualTo(Status.WAITING);
          assertThat(play.signal("process.resume")).isEqualTo("Doc+");
        });
  }

  @Test
  void no_more_begin_than_the_window_lets_and_the_oldest_comes_next() {
    WorkflowDefinition flow =
        workflow("A", step("A", spawns("G", "H", "I", "K")))
            .withContext(Context.of(StepNode.ENTRY, "A", StepNode.WINDOW, 2L));

    everywhere(
        flow,
        play -> {
          assertThat(play.done("A", VALID)).isEqualTo("A- A:v G+ H+");
          assertThat(play.state.processes())
              .extracting(ProcessView::running)
              .containsExactly(true, true, false, false);
          assertThat(play.done("H", VALID)).isEqualTo("H- H:v I+");
          assertThat(wake(play, Map.of("step", "K"))).isEmpty();
          play.signal("process.pause");
          assertThat(play.done("I", VALID)).isEqualTo("I- I:v");
          assertThat(play.signal("process.resume")).isEqualTo("K+");
          play.done("G", VALID);
          play.done("K", VALID);
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void a_step_that_opens_a_join_begins_beyond_the_window() {
    WorkflowDefinition flow =
        workflow(
                "A",
                step("A", spawns("G", "B", "H")),
                step("B", spawns(join("J", 1, "kill", "K valid", "L valid"), "K", "L")))
            .withContext(Context.of(StepNode.ENTRY, "A", StepNode.WINDOW, 1L));

    everywhere(
        flow,
        play -> {
          assertThat(play.done("A", VALID)).isEqualTo("A- A:v G+ B+");
          assertThat(play.done("B", VALID)).isEqualTo("B- B:v");
          assertThat(play.done("G", VALID)).isEqualTo("G- G:v H+");
          assertThat(play.done("H", VALID)).isEqualTo("H- H:v K+");
          assertThat(play.done("K", VALID)).isEqualTo("K- K:v L† J+");
          play.done("J", VALID);
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void an_open_join_target_never_begins_even_when_woken() {
    WorkflowDefinition flow =
        workflow(
            "A", step("A", spawns(join("J", 1, "drain", "G valid"), "G")), leaf("G"), leaf("J"));

    everywhere(
        flow,
        play -> {
          play.done("A", VALID);
          assertThat(wake(play, Map.of("step", "J", "payload", Map.of("x", 1)))).isEmpty();
          assertThat(play.done("G", VALID)).isEqualTo("G- G:v J+");
          assertThat(play.state.processes().getFirst().payload().get("x")).isEqualTo(1L);
        });
  }

  @Test
  void a_released_target_still_waits_for_its_time() {
    WorkflowDefinition flow =
        workflow(
            "A", step("A", spawns(join("J", 1, "drain", "G valid"), "G")), leaf("G"), leaf("J"));

    everywhere(
        flow,
        play -> {
          play.done("A", VALID.with(Steps.WAIT, 100L));
          wake(play, Map.of("step", "G"));
          assertThat(play.done("G", VALID)).isEqualTo("G- G:v");
          assertThat(play.advance(100)).isEqualTo("J+");
        });
  }

  @Test
  void waiting_producers_are_aborted_when_their_join_closes_with_kill() {
    WorkflowDefinition flow =
        workflow("A", step("A", spawns(join("J", 1, "kill", "G valid", "H valid"), "G", "H")));

    everywhere(
        flow,
        play -> {
          play.done("A", VALID.with(Steps.WAIT, 100L));
          wake(play, Map.of("step", "G"));
          assertThat(play.done("G", VALID)).isEqualTo("G- G:v H†");
          assertThat(play.advance(100)).isEqualTo("J+");
          play.done("J", VALID);
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void a_view_tells_groups_and_deliveries() {
    WorkflowDefinition flow =
        workflow("A", step("A", spawns(join("J", 2, "kill", "G valid", "H valid"), "G", "H")));
    Play play = Play.start(flow);
    play.done("A", VALID);
    play.done("G", VALID);

    var views = play.state.processes();

    assertThat(views).extracting(ProcessView::step).containsExactly("J", "H");
    ProcessView target = views.getFirst();
    assertThat(target.group()).isZero();
    assertThat(target.fromGroup()).isEqualTo(views.getLast().group()).isNotZero();
    assertThat(target.delivered()).containsExactly("G");
    assertThat(target.parent()).isEqualTo(1);
  }
}
