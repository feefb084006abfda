package dev.damask.typed;

import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.park;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.EffectException;
import dev.damask.ops.SignatureChange;
import dev.damask.store.MemoryStore;
import dev.damask.value.Key;
import java.math.BigDecimal;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A handler with other types than the cases were started with.
@Timeout(20)
final class SignatureTest {
  record Order(String id, BigDecimal price) {}

  record Purchase(String id) {}

  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final EngineOptions options = EngineOptions.defaults().withClock(clock);

  private static String charge(Object order) throws EffectException {
    throw new EffectException("down", "the bank is down: " + order);
  }

  private static <T> TypedWorkflow<T, dev.damask.value.Context> flow(Class<T> type) {
    Key<T> key = Key.of("order", type);
    return workflow(
        "order",
        key,
        effect("charge", key, SignatureTest::charge)
            .as(Key.of("payment", String.class))
            .onExhausted(park()));
  }

  @Test
  void a_changed_signature_is_reported_with_the_cases_that_were_started_before() throws Exception {
    try (var engine = Engine.open(options, store, flow(Order.class))) {
      assertThat(engine.signatureChanges()).isEmpty();
      engine.start(flow(Order.class), "c1", new Order("a", BigDecimal.TEN));
      while (engine.incidents().list().isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(engine.signatureChanges()).isEmpty();
    }

    clock.advance(1_000);
    for (int opening = 0; opening < 2; opening++) {
      try (var engine = Engine.open(options, store.reopened(), flow(Purchase.class))) {
        SignatureChange change = engine.signatureChanges().getFirst();
        assertThat(change.task()).isEqualTo("charge");
        assertThat(change.cases()).isOne();
        assertThat(change.toString())
            .contains("workflow order: the handler of task charge is (order: ")
            .contains("Purchase")
            .contains("Order")
            .contains("1 case was started before, such as c1");
      }
    }

    try (var engine = Engine.open(options, store.reopened(), flow(Purchase.class))) {
      engine.cancel("c1");
      assertThat(engine.signatureChanges()).isEmpty();
    }
  }
}
