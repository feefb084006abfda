package dev.damask.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// The timers of a shard: only the next ones are in memory, and none is lost.
final class DueCasesTest {
  private static final int WINDOW = 8;

  private final MemoryStore store = new MemoryStore();
  private final Map<String, Long> revisions = new HashMap<>();
  private final DueCases due = new DueCases(store::due, id -> !id.startsWith("other"), WINDOW);

  private void commit(String id, long dueMillis) {
    long revision = revisions.merge(id, 1L, Long::sum);
    CaseRecord record =
        CaseRecord.of(id, revision, store.epoch(), CaseStatus.WAITING, "w")
            .withTimes(0, 0, dueMillis);
    store
        .commit(
            new CommitBatch(
                List.of(
                    new CaseCommit(
                        record,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        new byte[0]))))
        .join();
    if (!id.startsWith("other")) {
      due.set(id, dueMillis);
    }
  }

  @Test
  void far_timers_stay_in_the_store() {
    for (int i = 0; i < 1_000; i++) {
      commit("c" + i, 10_000 + i);
    }

    assertThat(due.next()).isEqualTo(10_000);
    assertThat(due.size()).isLessThanOrEqualTo(2 * WINDOW);
  }

  @Test
  void every_timer_fires_once_in_order_of_its_last_due_time_and_none_of_a_neighbour() {
    Random random = new Random(7);
    Map<String, Long> expected = new HashMap<>();
    long now = 0;
    List<String> fired = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      String id = (random.nextInt(4) == 0 ? "other" : "c") + random.nextInt(200);
      if (random.nextInt(3) > 0) {
        long at = random.nextInt(5) == 0 ? CaseRecord.NEVER : now + 1 + random.nextInt(500);
        commit(id, at);
        if (!id.startsWith("other")) {
          expected.put(id, at);
        }
      } else {
        now += random.nextInt(40);
        for (String each = due.poll(now); each != null; each = due.poll(now)) {
          fired.add(each);
          assertThat(expected.get(each)).as("due of %s", each).isLessThanOrEqualTo(now);
          expected.put(each, CaseRecord.NEVER);
          commit(each, CaseRecord.NEVER);
        }
        long time = now;
        assertThat(expected.values()).noneMatch(at -> at <= time);
      }
    }
    assertThat(fired.size()).isGreaterThan(1_000);
  }

  @Test
  void a_rescan_finds_everything_again() {
    commit("a", 5);
    commit("b", 6);
    assertThat(due.poll(5)).isEqualTo("a");

    due.rescan();

    assertThat(due.poll(5)).isEqualTo("a");
    assertThat(due.poll(6)).isEqualTo("b");
    assertThat(due.poll(100)).isNull();
  }
}
