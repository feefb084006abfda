package dev.damask.ops;

import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.term.Schedule;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What schedules cost while none is due.
final class IdleSchedulesTest {
  private static final int SCHEDULES = 10_000;
  private static final long NOW = 1_700_000_000_000L;
  private static final Workflow<Context, Context> FLOW = workflow("w", skip());

  private final MemoryStore store = new MemoryStore();

  private final class Starts implements ScheduledStarts {
    long now = NOW;
    final List<String> started = new ArrayList<>();

    @Override
    public long now() {
      return now;
    }

    @Override
    public boolean owns(String schedule) {
      return true;
    }

    @Override
    public void register(Workflow<?, ?> workflow) {}

    @Override
    public void requireInput(String schedule, Workflow<?, ?> workflow, Context input) {}

    @Override
    public boolean isKnown(String workflow) {
      return true;
    }

    @Override
    public CompletableFuture<Boolean> start(
        String workflow, String caseId, Context input, List<RowChange> rows) {
      started.add(caseId);
      return store.commit(CommitBatch.ofRows(rows)).thenApply(_ -> true);
    }

    @Override
    public CompletableFuture<Void> write(
        String schedule, @Nullable TableRow old, List<RowChange> rows) {
      return store.commit(CommitBatch.ofRows(rows));
    }

    @Override
    public boolean hasEnded(String caseId) {
      return true;
    }

    @Override
    public void whenEnded(String caseId, Runnable action) {}

    @Override
    public CompletableFuture<?> cancel(String caseId, String reason) {
      return CompletableFuture.completedFuture("");
    }
  }

  private static long cpuMillis() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
  }

  @Test
  void ten_thousand_schedules_cost_nothing_while_none_is_due() {
    Starts starts = new Starts();
    Schedules schedules = new Schedules(store, starts);
    for (int i = 0; i < SCHEDULES; i++) {
      schedules.put("s" + i, Schedule.every(Duration.ofDays(30)), FLOW, Context.empty());
    }
    assertThat(schedules.turn()).isFalse();

    // An engine looks once a minute: this is a day of it.
    long before = cpuMillis();
    for (int minute = 0; minute < 24 * 60; minute++) {
      starts.now += 60_000;
      assertThat(schedules.turn()).isFalse();
      assertThat(schedules.nextDue()).isGreaterThan(starts.now);
    }
    long millis = cpuMillis() - before;

    System.out.printf("%d schedules for a day: %d ms of CPU time%n", SCHEDULES, millis);
    assertThat(starts.started).isEmpty();
    assertThat(millis).isLessThan(1_000);
  }

  @Test
  void all_that_are_due_at_once_start_once() {
    Starts starts = new Starts();
    Schedules schedules = new Schedules(store, starts);
    for (int i = 0; i < 1_000; i++) {
      schedules.put("s" + i, Schedule.every(Duration.ofHours(1)), FLOW, Context.empty());
    }
    starts.now += Duration.ofHours(1).toMillis();
    while (schedules.turn()) {
      // until nothing is due
    }

    assertThat(starts.started).hasSize(1_000).doesNotHaveDuplicates();
  }
}
