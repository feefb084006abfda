package dev.damask.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.task.TaskAddress;
import org.junit.jupiter.api.Test;

/// How events address a running task.
final class ExecutionsTest {
  private static void start(Executions executions, int token, String task, String label) {
    executions.accept(
        new TraceEvent(
            1, 0, TraceEvent.Kind.STARTED, "TASK-EFFECT", token, 0, 0, 1, task, label, "", null));
  }

  private static TokenId find(Executions executions, String address) {
    return executions.find(TaskAddress.parse(address).orElseThrow());
  }

  @Test
  void an_exact_label_wins_over_an_older_execution_in_an_instance() {
    Executions executions = new Executions();
    start(executions, 5, "B", "1");
    start(executions, 6, "B", "");

    assertThat(find(executions, "B#1")).isEqualTo(new TokenId(6));
    assertThat(find(executions, "B[1]#1")).isEqualTo(new TokenId(5));
  }

  @Test
  void without_an_exact_label_the_name_is_looked_for_in_all_instances_the_oldest_first() {
    Executions executions = new Executions();
    start(executions, 5, "B", "2");
    start(executions, 6, "B", "1");

    assertThat(find(executions, "B#1")).isEqualTo(new TokenId(5));
    assertThat(find(executions, "B")).isEqualTo(new TokenId(5));
    assertThat(find(executions, "B[1]")).isEqualTo(new TokenId(6));
    assertThat(find(executions, "B#2")).isEqualTo(new TokenId(0));
  }
}
