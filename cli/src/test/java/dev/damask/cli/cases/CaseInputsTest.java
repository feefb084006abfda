package dev.damask.cli.cases;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.PendingTask;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectIntent;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/// How commands address a pending task.
final class CaseInputsTest {
  private static PendingTask task(int token, String task, String label) {
    return new PendingTask(
        new Effect(new EffectId(token), task, 1, "", ""),
        token,
        label,
        1,
        EffectIntent.Held.NOT,
        OptionalLong.empty(),
        Context.empty(),
        Optional.empty());
  }

  @Test
  void the_label_that_a_list_of_tasks_prints_wins_over_an_older_task_of_the_same_name() {
    List<PendingTask> tasks = List.of(task(5, "B", "1"), task(6, "B", ""), task(7, "B", "2"));

    assertThat(CaseInputs.task(tasks, "B")).contains(tasks.get(1));
    assertThat(CaseInputs.task(tasks, "B[2]")).contains(tasks.get(2));
    assertThat(CaseInputs.task(tasks, tasks.get(0).id().toString())).contains(tasks.get(0));
  }

  @Test
  void without_an_exact_label_the_oldest_task_of_the_name_is_meant() {
    List<PendingTask> tasks = List.of(task(5, "A", ""), task(6, "B", "2"), task(7, "B", "1"));

    assertThat(CaseInputs.task(tasks, "B")).contains(tasks.get(1));
    assertThat(CaseInputs.task(tasks, "B[3]")).isEmpty();
  }
}
