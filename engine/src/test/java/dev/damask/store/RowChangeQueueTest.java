package dev.damask.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.store.RowChange.Put;
import dev.damask.store.RowChange.Remove;
import dev.damask.value.Bytes;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Which changes of a row are written when a batch has several of them.
final class RowChangeQueueTest {
  private static TableRow row(String indexKey, int value) {
    return new TableRow("schedule", "nightly", 0, Bytes.of((byte) value), indexKey);
  }

  private static RowChange.Queue queue(RowChange... changes) {
    RowChange.Queue queue = new RowChange.Queue();
    queue.addAll(List.of(changes));
    return queue;
  }

  @Test
  void a_row_that_gets_another_index_key_loses_the_old_one() {
    RowChange.Queue queue = queue(new Remove(row("1", 1)), new Put(row("2", 2)));

    MemoryTable table = new MemoryTable();
    table.apply(new Put(row("1", 1)));
    queue.forEach(table::apply);
    assertThat(table.indexed("schedule", "", null, 10)).containsExactly(row("2", 2));
    assertThat(RowCounts.difference(queue, "schedule")).isZero();
  }

  @Test
  void of_several_changes_the_last_one_is_written() {
    assertThat(queue(new Put(row("1", 1)), new Put(row("1", 2))))
        .containsExactly(new Put(row("1", 2)));
    assertThat(queue(new Put(row("1", 1)), new Remove(row("1", 1))))
        .containsExactly(new Remove(row("1", 1)));
  }

  @Test
  void a_row_that_changes_twice_loses_both_old_index_keys() {
    RowChange.Queue queue =
        queue(
            new Remove(row("1", 1)),
            new Put(row("2", 2)),
            new Remove(row("2", 2)),
            new Put(row("3", 3)));

    assertThat(queue)
        .containsExactly(new Remove(row("1", 1)), new Remove(row("2", 2)), new Put(row("3", 3)));
  }

  @Test
  void changes_are_dropped_by_a_condition() {
    RowChange.Queue queue = queue(new Remove(row("1", 1)), new Put(row("2", 2)));

    assertThat(queue.removeIf(new Put(row("2", 2))::equals)).isTrue();

    assertThat(queue).containsExactly(new Remove(row("1", 1)));
    assertThat(queue.removeIf(new Put(row("2", 2))::equals)).isFalse();
  }
}
