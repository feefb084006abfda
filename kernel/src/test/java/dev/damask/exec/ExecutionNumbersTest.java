package dev.damask.exec;

import static dev.damask.exec.Play.everywhere;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.compile.Compiler;
import dev.damask.event.Failure;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.event.StateView;
import dev.damask.event.Status;
import dev.damask.state.ExecutionCounts;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Term;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The number of an execution: the `2` of `A[3]#2`.
final class ExecutionNumbersTest {
  private static List<String> addresses(Play play) {
    return play.state.pendingEffects().stream()
        .map(request -> request.address().toString())
        .toList();
  }

  private static Term twoInstances() {
    return Flow.instances("m", InstancePolicy.fixed(2), Flow.effect("A"));
  }

  @Test
  void rounds_of_a_loop_count_per_instance_and_the_numbers_are_part_of_the_state() {
    everywhere(
        Flow.repeat(3, Flow.par(twoInstances(), Flow.effect("A"))),
        play -> {
          assertThat(addresses(play)).containsExactlyInAnyOrder("A[1]#1", "A[2]#1", "A#1");
          play.done("A");
          play.done("A");
          play.done("A");
          assertThat(addresses(play)).containsExactlyInAnyOrder("A[1]#2", "A[2]#2", "A#2");
          assertThat(play.state.view().tokens())
              .extracting(StateView.Token::task)
              .containsExactlyInAnyOrder("A[1]#2", "A[2]#2", "A#2");
        });
  }

  @Test
  void two_tasks_of_one_name_are_numbered_in_the_order_they_start() {
    everywhere(
        Flow.par(Flow.effect("A"), Flow.seq(Flow.effect("B"), Flow.effect("A"))),
        play -> {
          play.done("B");
          assertThat(addresses(play)).containsExactly("A#1", "A#2");
        });
  }

  @Test
  void one_execution_can_be_killed_by_its_address() {
    everywhere(
        Flow.join(JoinPolicy.all(), Flow.effect("A"), Flow.effect("A"), Flow.effect("B")),
        play -> {
          play.see();
          assertThat(play.kill("A#3")).isEmpty();
          assertThat(play.reply).isEqualTo(Reply.NO_SUCH_REGION);
          assertThat(play.complete("A#2")).isEqualTo("A×");
          assertThat(play.reply).isEqualTo(Reply.ACCEPTED);
          assertThat(addresses(play)).containsExactly("A#1", "B#1");
        });
  }

  @Test
  void a_state_stored_without_numbers_counts_from_what_is_known() {
    Play play = Play.start(Flow.repeat(3, Flow.par(twoInstances(), Flow.effect("A"))));
    play.state.executions = null;
    play.state = StateCodec.decode(play.machine, StateCodec.encode(play.state));

    assertThat(addresses(play)).containsExactlyInAnyOrder("A[1]#1", "A[2]#1", "A#1");
    play.done("A");
    play.done("A");
    play.done("A");
    assertThat(addresses(play)).containsExactlyInAnyOrder("A[1]#2", "A[2]#2", "A#2");
  }

  @Test
  void a_program_that_repeats_no_task_stores_no_numbers() {
    Term body = Flow.seq(Flow.effect("A"), twoInstances());
    assertThat(
            ExecutionCounts.canRepeat(
                Compiler.compile(
                    Flow.workflow(
                        "w", Flow.effect("B"), Flow.par(Flow.effect("C"), Flow.effect("D"))))))
        .isFalse();
    assertThat(ExecutionCounts.canRepeat(Compiler.compile(Flow.workflow("w", body)))).isTrue();
    Play play = Play.start(Flow.effect("B"), twoInstances());

    play.done("B");
    assertThat(play.state.executions).isNull();
    assertThat(addresses(play)).containsExactly("A[1]#1", "A[2]#1");
  }

  @Test
  void many_instances_take_few_bytes() {
    Play few = Play.start(many(10));
    Play more = Play.start(many(900));

    assertThat(encoded(more)).hasSizeLessThan(encoded(few).length + 4);
  }

  private static Term many(int count) {
    return Flow.repeat(2, Flow.instances("m", InstancePolicy.fixed(count), Flow.effect("A")));
  }

  private static byte[] encoded(Play play) {
    Encoder out = new Encoder();
    java.util.Objects.requireNonNull(play.state.executions).write(out);
    return out.toBytes();
  }

  @Test
  void forged_counts_do_not_take_memory_without_bound() {
    Encoder out = new Encoder();
    for (String task : List.of("A", "B", "C")) {
      out.text(task);
      out.natural(1);
      out.text("");
      out.natural((1 << 20) - 1);
      out.natural(7);
      out.natural(0);
    }
    byte[] bytes = out.toBytes();

    assertThatThrownBy(() -> ExecutionCounts.read(new Decoder(bytes, 0, bytes.length), 3))
        .isInstanceOf(Decoder.DamagedBytes.class)
        .hasMessageContaining("too many instances");
  }

  @Test
  void numbers_move_to_another_version_with_the_names_of_its_tasks() {
    Play play = Play.start(Flow.repeat(3, Flow.effect("A")));
    play.done("A");
    Machine to = Play.start(Flow.repeat(3, Flow.effect("B"))).machine;

    Migration migration = Migration.plan(play.state, to, Mapping.NONE.task("A", "B"));

    assertThat(migration)
        .isInstanceOfSatisfying(
            Migration.Migrated.class,
            migrated ->
                assertThat(migrated.state().pendingEffects().getFirst().address())
                    .hasToString("B#2"));
  }

  @Test
  void a_leftover_that_fails_after_the_result_is_a_late_failure_in_the_state_and_its_view() {
    Term rest = Flow.join(JoinPolicy.partial(1), Flow.effect("A"), Flow.effect("B"));
    everywhere(
        rest,
        play -> {
          play.done("A");
          assertThat(play.state.lateFailures()).isEmpty();
          play.fail("B", "broken");

          assertThat(play.status()).isEqualTo(Status.COMPLETED);
          assertThat(play.state.view().lateFailures())
              .extracting(Failure::task, Failure::reason)
              .containsExactly(org.assertj.core.groups.Tuple.tuple("B", "broken"));
          ExecState read = StateCodec.decode(play.machine, StateCodec.encode(play.state));
          assertThat(read.lateFailures()).isEqualTo(play.state.lateFailures());
        });
  }
}
