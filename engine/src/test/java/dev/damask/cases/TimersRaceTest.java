package dev.damask.cases;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.intake.DueCases;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The timers of a shard, while the writer changes the store they are read from. They belong to one
/// thread, so what can happen between two threads is a matter of order alone: many orders are
/// tried, each from a seed, also in the middle of a read that takes several pages.
final class TimersRaceTest {
  private static final int SEEDS = 20_000;
  private static final int COMMITS = 7;
  private static final int ROUNDS = 12;

  private record Timer(String caseId, long dueMillis) {}

  /// One run: whoever is asked for something lets the writer do a few steps first.
  private static final class Run {
    private final Random random;
    private final MemoryStore memory = new MemoryStore();
    private final Deque<Runnable> writer = new ArrayDeque<>();
    private final Deque<Timer> told = new ArrayDeque<>();
    private final Map<String, Long> revisions = new HashMap<>();
    private final Map<String, Long> last = new TreeMap<>();
    private final Set<String> fired = new HashSet<>();
    private final DueCases due;

    /// @param tellsFirst whether the shard hears of a timer before the store has it
    Run(long seed, boolean tellsFirst) {
      random = new Random(seed);
      DueCases.Pages pages =
          (after, limit) -> {
            pause();
            return memory.due(after, limit);
          };
      due = new DueCases(pages, _ -> true, 1 + random.nextInt(2));
      for (int i = 0; i < COMMITS; i++) {
        Timer timer = new Timer("c" + random.nextInt(4), 10L * (1 + random.nextInt(5)));
        Runnable stores = () -> store(timer);
        Runnable tells = () -> told.addLast(timer);
        writer.addLast(tellsFirst ? tells : stores);
        writer.addLast(tellsFirst ? stores : tells);
      }
    }

    private void pause() {
      while (!writer.isEmpty() && random.nextInt(3) == 0) {
        writer.pollFirst().run();
      }
    }

    private void store(Timer timer) {
      last.put(timer.caseId(), timer.dueMillis());
      fired.remove(timer.caseId());
      CaseRecord record =
          CaseRecord.of(
                  timer.caseId(),
                  revisions.merge(timer.caseId(), 1L, Long::sum),
                  memory.epoch(),
                  CaseStatus.WAITING,
                  "w")
              .withTimes(0, 0, timer.dueMillis());
      CaseCommit commit =
          new CaseCommit(
              record, List.of(), List.of(), List.of(), List.of(), List.of(), new byte[0]);
      memory.commit(new CommitBatch(List.of(commit))).join();
    }

    private void release() {
      Timer next = told.pollFirst();
      if (next != null) {
        due.set(next.caseId(), next.dueMillis());
      }
    }

    private boolean fire(long now) {
      String caseId = due.poll(now);
      if (caseId != null) {
        fired.add(caseId);
      }
      return caseId != null;
    }

    /// The cases whose last timer was forgotten.
    Set<String> play() {
      for (int i = 0; i < ROUNDS; i++) {
        pause();
        switch (random.nextInt(3)) {
          case 0 -> release();
          case 1 -> due.next();
          default -> fire(10L * random.nextInt(6));
        }
      }
      while (!writer.isEmpty()) {
        writer.pollFirst().run();
      }
      while (!told.isEmpty()) {
        release();
      }
      while (fire(CaseRecord.NEVER - 1)) {
        // until nothing is left
      }
      Set<String> forgotten = new HashSet<>(last.keySet());
      forgotten.removeAll(fired);
      return forgotten;
    }
  }

  @Test
  void no_order_of_shard_and_writer_loses_a_timer() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      assertThat(new Run(seed, false).play()).as("seed " + seed).isEmpty();
    }
  }

  /// What lies behind the horizon is not kept: were it told before the store has it, a read in
  /// between would miss it.
  @Test
  void timers_that_are_told_before_they_are_durable_would_be_lost() {
    int lost = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      lost += new Run(seed, true).play().isEmpty() ? 0 : 1;
    }
    assertThat(lost).isPositive();
  }
}
