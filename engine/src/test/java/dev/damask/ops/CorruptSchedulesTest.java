package dev.damask.ops;

import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.term.Schedule;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Schedules of a store with a corrupt row, and of one that is away for a moment.
@Timeout(30)
final class CorruptSchedulesTest {
  private static final WorkflowDefinition FLOW = workflow("w", skip());
  private static final Schedule OFTEN = Schedule.every(Duration.ofSeconds(1));

  private final MemoryStore memory = new MemoryStore();
  private final AtomicInteger failures = new AtomicInteger();
  private volatile RuntimeException thrown = new StoreException("the store is away");

  /// Fails the reads of schedules as long as there are failures left.
  private final Store store =
      (Store)
          Proxy.newProxyInstance(
              Store.class.getClassLoader(),
              new Class<?>[] {Store.class},
              (_, method, arguments) -> {
                if (method.getName().equals("table") && isOfSchedules()) {
                  if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    throw thrown;
                  }
                }
                try {
                  return method.invoke(memory, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });

  private static boolean isOfSchedules() {
    return StackWalker.getInstance()
        .walk(all ->
            all.anyMatch(frame ->
                frame.getClassName().equals(Schedules.class.getName())
                    && frame.getMethodName().equals("run")));
  }

  /// Replaces a schedule by bytes that mean nothing; it is the first that is due.
  private void corrupt(String name) {
    TableRow old = memory.table().find(ScheduleRow.KIND, name, 0).orElseThrow();
    TableRow broken = new TableRow(ScheduleRow.KIND, name, 0, Bytes.of((byte) 99), "0");
    memory
        .commit(CommitBatch.ofRows(List.of(new RowChange.Remove(old), new RowChange.Put(broken))))
        .join();
  }

  private static void awaitCase(Engine engine, String schedule) throws InterruptedException {
    String first = engine.schedules().get(schedule).orElseThrow().lastCase();
    while (engine.schedules().get(schedule).orElseThrow().lastCase().equals(first)) {
      Thread.sleep(5); // ends with the time limit of the test
    }
  }

  @Test
  void a_corrupt_schedule_is_left_out_and_the_others_run() throws Exception {
    try (Engine engine = Engine.open(EngineOptions.defaults(), store, FLOW)) {
      engine.schedules().put("bad", OFTEN, FLOW, Context.empty());
      engine.schedules().put("good", OFTEN, FLOW, Context.empty());
      corrupt("bad");
      engine.schedules().reload();

      awaitCase(engine, "good");
      awaitCase(engine, "good");

      assertThat(engine.schedules().list()).extracting(ScheduleView::name).containsExactly("good");
      assertThat(Schedules.corrupt(store)).containsOnlyKeys("bad");
      assertThatThrownBy(() -> engine.schedules().get("bad"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("schedule bad cannot be read");
      engine.schedules().remove("bad");
      assertThat(Schedules.corrupt(store)).isEmpty();
    }
  }

  @Test
  void a_store_that_is_away_for_a_moment_stops_no_schedule() throws Exception {
    try (Engine engine = Engine.open(EngineOptions.defaults(), store, FLOW)) {
      engine.schedules().put("good", OFTEN, FLOW, Context.empty());
      for (RuntimeException each :
          List.of(new StoreException("away"), new IllegalArgumentException("something else"))) {
        thrown = each;
        failures.set(2);
        engine.schedules().reload();
        while (failures.get() > 0) {
          Thread.sleep(5); // ends with the time limit of the test
        }

        awaitCase(engine, "good");
      }
    }
  }

  @Test
  void a_corrupt_claim_keeps_no_other_from_ending() {
    LocalClaims claims = new LocalClaims(memory);
    TaskClaim claim =
        new TaskClaim("two", new EffectId(1), "id", "worker", "type", 1, false, 0, 10);
    TableRow broken = new TableRow(TaskClaim.KIND, "one/0000000000000001", 1, Bytes.of((byte) 99));
    memory.commit(CommitBatch.ofRows(List.of(new RowChange.Put(broken)))).join();
    claims.take(List.of(claim), 0);

    assertThat(claims.expired(10, 5)).containsExactly(claim);
  }
}
