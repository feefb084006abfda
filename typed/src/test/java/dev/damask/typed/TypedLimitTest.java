package dev.damask.typed;

import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.limitKey;
import static dev.damask.typed.Steps.limitPriority;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.Run;
import dev.damask.effect.EffectLimit;
import dev.damask.effect.Pause;
import dev.damask.store.MemoryStore;
import dev.damask.term.Workflow;
import dev.damask.value.Key;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Limits of effects whose key and priority come from the values of records.
@Timeout(60)
final class TypedLimitTest {
  record Order(String customer, int level) {}

  private static final Key<Order> ORDER = Key.of(Order.class);
  private static final Key<String> RECEIPT = Key.of("receipt", String.class);

  private final Queue<Order> begun = new ConcurrentLinkedQueue<>();
  private final CountDownLatch first = new CountDownLatch(1);

  private String charge(Order order) throws InterruptedException {
    begun.add(order);
    if (order.level() == 0) {
      first.await();
    }
    return order.customer() + order.level();
  }

  @Test
  void the_key_and_the_priority_of_a_call_come_from_a_record() {
    Workflow<Order, String> flow =
        workflow("flow", ORDER, RECEIPT, effect("charge", ORDER, this::charge).as(RECEIPT));
    EffectLimit limit =
        EffectLimit.atOnce(10)
            .withPerKey(limitKey(ORDER, Order::customer), 1)
            .withPriority(limitPriority(ORDER, Order::level));
    EngineOptions options = EngineOptions.defaults().withLimit("charge", limit);
    try (Engine engine = Engine.open(options, new MemoryStore(), flow)) {
      Run<String> one = engine.start(flow, "one", new Order("acme", 0));
      awaitBegun(1);
      Run<String> two = engine.start(flow, "two", new Order("acme", 1));
      Run<String> three = engine.start(flow, "three", new Order("acme", 2));
      awaitPermit(two);
      awaitPermit(three);
      Run<String> other = engine.start(flow, "other", new Order("other", 1));

      assertThat(other.join()).isEqualTo("other1");
      first.countDown();
      assertThat(one.join()).isEqualTo("acme0");
      assertThat(two.join()).isEqualTo("acme1");
      assertThat(three.join()).isEqualTo("acme2");
      assertThat(begun)
          .containsExactly(
              new Order("acme", 0),
              new Order("other", 1),
              new Order("acme", 2),
              new Order("acme", 1));
    }
  }

  @Test
  void a_call_without_the_value_fails() {
    Key<Order> missing = Key.of("missing", Order.class);
    EffectLimit limit = EffectLimit.NONE.withPerKey(limitKey(missing, Order::customer), 1);
    EngineOptions options = EngineOptions.defaults().withLimit("charge", limit);
    Workflow<Order, String> task =
        workflow("task", ORDER, RECEIPT, effect("charge", ORDER, this::charge).as(RECEIPT));
    Workflow<Order, String> script =
        workflow(
            "script",
            ORDER,
            RECEIPT,
            Steps.script(
                    "s",
                    ORDER,
                    (Order order, Script steps) ->
                        steps.call("charge", String.class, call -> charge(order)))
                .as(RECEIPT));
    try (Engine engine = Engine.open(options, new MemoryStore(), task, script)) {
      for (Workflow<Order, String> each : List.of(task, script)) {
        Run<String> run = engine.start(each, each.name(), new Order("acme", 1));

        assertThatThrownBy(run::join).hasMessageContaining("missing; the case has no such entry");
      }
    }
    assertThat(begun).isEmpty();
  }

  private void awaitBegun(int count) {
    while (begun.size() < count) {
      LockSupport.parkNanos(100_000);
    }
  }

  private static void awaitPermit(Run<?> run) {
    while (run.status()
        .task("charge")
        .filter(each -> each.pause().orElse(null) instanceof Pause.Permit)
        .isEmpty()) {
      LockSupport.parkNanos(100_000);
    }
  }
}
