package dev.damask.cases;

import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.intake.Replies;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a failure on one of the engine's own threads does to the others.
@Timeout(20)
final class SupervisionTest {
  private final MemoryStore store = new MemoryStore();
  private final WorkflowDefinition flow = workflow("w", task("a", c -> c));

  /// The store with one method that throws as long as there are failures left.
  private Store failing(String method, AtomicInteger failures, Throwable thrown) {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (_, called, arguments) -> {
              if (called.getName().equals(method) && failures.getAndDecrement() > 0) {
                throw thrown;
              }
              try {
                return called.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void a_store_failure_in_retention_stops_neither_the_engine_nor_retention() throws Exception {
    var failures = new AtomicInteger(3);
    var broken = failing("list", failures, new StoreException("the listing failed"));
    var options = EngineOptions.defaults().withRetention(Duration.ofMillis(30));
    try (var engine = Engine.open(options, broken, flow)) {
      while (failures.get() > 0) {
        Thread.sleep(1); // ends with the time limit of the test
      }

      var result = engine.start(flow, "one", Context.empty()).await();

      assertThat(result).isInstanceOf(CaseResult.Completed.class);
      while (engine.statistics().removed() == 0) {
        Thread.sleep(1); // ends with the time limit of the test
      }
      assertThat(store.record("one")).isEmpty();
    }
  }

  @Test
  void a_shard_that_fails_stops_the_engine_with_its_cause() {
    var thrown = new IllegalArgumentException("no such timer");
    var broken = failing("due", new AtomicInteger(Integer.MAX_VALUE), thrown);
    try (var engine = Engine.open(EngineOptions.defaults().withShards(1), broken, flow)) {
      assertThatThrownBy(
              () -> {
                while (true) {
                  engine.start(flow, "one", Context.empty());
                }
              })
          .isInstanceOf(StoreException.class)
          .hasStackTraceContaining("no such timer");
    }
  }

  @Test
  void memory_that_runs_out_on_a_shard_stops_the_engine_with_a_message() {
    var thrown = new OutOfMemoryError("Java heap space");
    var broken = failing("record", new AtomicInteger(Integer.MAX_VALUE), thrown);
    try (var engine = Engine.open(EngineOptions.defaults().withShards(1), broken, flow)) {
      assertThatThrownBy(() -> Replies.get(engine.startAsync(flow, "one", Context.empty())))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("out of memory in shard 0, the case at work was 'one'");
    }
  }

  @Test
  void memory_that_runs_out_on_the_thread_of_a_caller_stops_the_engine_with_a_message() {
    var thrown = new OutOfMemoryError("Java heap space");
    var broken = failing("record", new AtomicInteger(Integer.MAX_VALUE), thrown);
    try (var engine = Engine.open(EngineOptions.defaults().withShards(1), broken, flow)) {
      assertThatThrownBy(
              () -> {
                while (true) {
                  engine.start(flow, "one", Context.empty());
                }
              })
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("out of memory in shard 0, the case at work was 'one'");
    }
  }
}
