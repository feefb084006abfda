package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Reading a case that is not in memory leaves it there, and costs one read of the store.
final class ReadingTest {
  private static final int CASES = 50;

  private final WorkflowDefinition waiting = workflow("waiting", defer(on("go", skip())));
  private final MemoryStore memory = new MemoryStore();
  private final Map<String, LongAdder> calls = new ConcurrentHashMap<>();

  /// The store, whose calls are counted by the names of the methods.
  private Store counted() {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (_, method, arguments) -> {
              calls.computeIfAbsent(method.getName(), _ -> new LongAdder()).increment();
              try {
                return method.invoke(memory, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private long count(String method) {
    LongAdder found = calls.get(method);
    return found == null ? 0 : found.sum();
  }

  private static String id(int i) {
    return "case-" + i;
  }

  /// Half of the cases wait, the other half has ended.
  @BeforeEach
  void start() throws InterruptedException {
    EngineOptions traced = EngineOptions.defaults().withTrace(TraceLevel.FULL);
    try (Engine engine = Engine.open(traced, memory, waiting)) {
      for (int i = 0; i < CASES; i++) {
        engine.start(waiting, id(i), Context.of("i", (long) i));
        if (i % 2 == 0) {
          engine.signal(id(i), "go", Map.of());
          engine.await(id(i));
        }
      }
    }
    memory.reopened();
  }

  @Test
  void views_lists_and_logs_keep_cases_out_of_memory() throws InterruptedException {
    try (Engine engine = Engine.open(EngineOptions.defaults(), counted(), waiting)) {
      for (int i = 0; i < CASES; i++) {
        boolean hasEnded = i % 2 == 0;
        CaseView view = engine.status(id(i));
        assertThat(view.status()).isEqualTo(hasEnded ? CaseStatus.COMPLETED : CaseStatus.WAITING);
        assertThat(view.context().get("i")).isEqualTo((long) i);
        assertThat(engine.state(id(i)).isCancelled("case")).isFalse();
        assertThat(engine.trace(id(i))).isNotEmpty();
        assertThat(engine.receipts(id(i))).isEmpty();
        assertThat(engine.read(id(i)).record().revision()).isEqualTo(view.revision());
        Duration patience = hasEnded ? Duration.ofSeconds(20) : Duration.ofMillis(1);
        assertThat(engine.await(id(i), patience).isPresent()).isEqualTo(hasEnded);
      }
      assertThat(engine.list(CaseQuery.ALL).cases()).hasSize(CASES);

      assertThat(engine.statistics().resident()).isZero();
    }
  }

  @Test
  void a_view_is_one_read_and_so_is_the_way_into_memory() {
    try (Engine engine = Engine.open(EngineOptions.defaults(), counted(), waiting)) {
      engine.status(id(1));
      assertThat(count("load")).isEqualTo(1);

      engine.signal(id(1), "go", Map.of());
      assertThat(count("load")).isEqualTo(2);
      assertThat(count("intents")).isZero();
    }
  }

  @Test
  void who_awaits_a_case_on_the_store_gets_its_end() throws InterruptedException {
    try (Engine engine = Engine.open(EngineOptions.defaults(), memory, waiting)) {
      var end = engine.result(id(1)).toCompletableFuture();
      engine.signal(id(1), "go", Map.of());

      assertThat(end.join()).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.await(id(0))).isInstanceOf(CaseResult.Completed.class);
      assertThatThrownBy(() -> engine.await("none")).hasMessage("there is no case none");
      assertThatThrownBy(() -> engine.trace("none")).hasMessage("there is no case none");
      assertThatThrownBy(() -> engine.read("none")).hasMessage("there is no case none");
    }
  }
}
