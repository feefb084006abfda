package dev.damask.typed;

import static dev.damask.typed.Steps.script;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.effect.Receipt;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.value.Key;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The sketch of a script that the API was designed with: it compiles and runs as written, with the
/// missing types and bodies added.
final class ScriptSketchTest {
  record Line(String article) {}

  record Order(String customer, List<Line> lines, BigDecimal price) {}

  record Payment(BigDecimal amount, String key) {}

  record Pick(String shelf) {}

  record Approval(String by) {}

  record Parcel(String label) {}

  static final class NoDecision extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static final Key<Order> ORDER = Key.of(Order.class);
  private static final Key<Parcel> PARCEL = Key.of(Parcel.class);
  private static final Signal<Approval> APPROVED = Signal.of("approved", Approval.class);

  private final Queue<String> calls = new ConcurrentLinkedQueue<>();
  private final Bank bank = new Bank();
  private final Warehouse warehouse = new Warehouse();
  private final Carrier carrier = new Carrier();

  private final class Bank {
    Payment charge(BigDecimal price, String key) {
      calls.add("charge");
      return new Payment(price, key);
    }
  }

  private final class Warehouse {
    Pick pick(Line line, String key) {
      calls.add("pick " + line.article());
      return new Pick("shelf of " + line.article() + key.length());
    }
  }

  private final class Carrier {
    Parcel ship(Order order, Approval approval) {
      calls.add("ship");
      return new Parcel(order.customer() + " by " + approval.by());
    }
  }

  private final Workflow<Order, Parcel> order =
      workflow(
          "order",
          ORDER,
          PARCEL,
          script(
                  "fulfil",
                  ORDER,
                  (Order order, Script script) -> {
                    Payment payment =
                        script.call(
                            "charge",
                            Payment.class,
                            call -> bank.charge(order.price(), call.key()));
                    assertThat(payment.amount()).isEqualTo(order.price());
                    for (Line line : order.lines()) {
                      script.call("pick", Pick.class, call -> warehouse.pick(line, call.key()));
                    }
                    Approval approval =
                        script.await(APPROVED, Duration.ofDays(2)).orElseThrow(NoDecision::new);
                    return script.call("ship", Parcel.class, call -> carrier.ship(order, approval));
                  })
              .as(PARCEL));

  private static final Order INPUT =
      new Order("acme", List.of(new Line("pen"), new Line("ink")), new BigDecimal("42.00"));

  @TempDir Path folder;

  @Test
  void the_sketch_runs() {
    try (Engine engine = Engine.open(folder.resolve("orders"), order)) {
      Run<Parcel> run = engine.start(order, "order-42", INPUT);
      run.signal(APPROVED, new Approval("eve"));

      Parcel parcel = run.join();

      assertThat(parcel).isEqualTo(new Parcel("acme by eve"));
      assertThat(calls).containsExactly("charge", "pick pen", "pick ink", "ship");
      assertThat(engine.receipts("order-42").stream().map(Receipt::body).map(Receipt.Body::task))
          .containsExactly(
              "fulfil/charge",
              "fulfil/pick",
              "fulfil/pick#2",
              "fulfil/await approved",
              "fulfil/ship");
    }
  }

  @Test
  void a_key_is_the_case_and_the_step() throws InterruptedException {
    try (Engine engine = Engine.open(order)) {
      engine.start(order, "order-42", INPUT).signal(APPROVED, new Approval("eve"));
      engine.await("order-42");

      Receipt.Body charge = engine.receipts("order-42").getFirst().body();
      assertThat(charge.key()).isEqualTo("order-42:" + charge.id());
    }
  }
}
