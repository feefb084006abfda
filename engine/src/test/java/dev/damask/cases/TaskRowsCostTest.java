package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.PendingTask;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.Table;
import dev.damask.term.InstancePolicy;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The rows of tasks for people are read once for a case, not once for each of its tasks.
@Timeout(60)
final class TaskRowsCostTest {
  private static final WorkflowDefinition PACKS =
      workflow("packs", instances("m", InstancePolicy.fixed(300), effect("pack")));

  private final MemoryStore memory = new MemoryStore();
  private final AtomicInteger reads = new AtomicInteger();

  private Store counting(Store store) {
    Table table = store.table();
    Table counted =
        proxy(
            Table.class,
            (_, method, arguments) -> {
              reads.addAndGet(method.getName().endsWith("ndexed") ? 1 : 0);
              return call(table, method, arguments);
            });
    return proxy(
        Store.class,
        (_, method, arguments) ->
            method.getName().equals("table") ? counted : call(store, method, arguments));
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Test
  void a_case_that_is_read_again_reads_the_rows_of_its_tasks_once() {
    try (Engine engine = Engine.open(EngineOptions.defaults(), memory, PACKS)) {
      engine.start(PACKS, "one", Context.empty());
    }

    try (Engine engine =
        Engine.open(EngineOptions.defaults(), counting(memory.reopened()), PACKS)) {
      List<PendingTask> tasks = engine.status("one").tasks();
      reads.set(0);
      for (PendingTask each : tasks) {
        assertThat(engine.completeTask("one", each.id(), Map.of()).isAccepted()).isTrue();
      }

      assertThat(tasks).hasSize(300);
      assertThat(reads.get()).isLessThan(10);
      assertThat(memory.table().rows("task", null, 1)).isEmpty();
    }
  }
}
