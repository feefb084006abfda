package dev.damask.typed;

import static dev.damask.typed.Steps.action;
import static dev.damask.typed.Steps.after;
import static dev.damask.typed.Steps.child;
import static dev.damask.typed.Steps.defer;
import static dev.damask.typed.Steps.each;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.exponential;
import static dev.damask.typed.Steps.fail;
import static dev.damask.typed.Steps.on;
import static dev.damask.typed.Steps.otherwise;
import static dev.damask.typed.Steps.par;
import static dev.damask.typed.Steps.when;
import static dev.damask.typed.Steps.workflow;
import static dev.damask.typed.Steps.xor;
import static java.math.BigDecimal.TEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult.Cancelled;
import dev.damask.caller.CaseResult.Completed;
import dev.damask.caller.CaseResult.Failed;
import dev.damask.caller.CaseResult.Stuck;
import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.effect.EffectCall;
import dev.damask.effect.Receipt;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.value.Key;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The sketch of an order that the typed API was designed with: it compiles and runs as written,
/// with the missing types and bodies added.
final class SketchTest {
  @TempDir java.nio.file.Path folder;

  private final Queue<String> calls = new ConcurrentLinkedQueue<>();

  /// Opens stores in the directory of the test.
  private final class Paths {
    java.nio.file.Path of(String name) {
      return folder.resolve(name);
    }
  }

  record Line(String article, int pieces) {}

  record Payment(BigDecimal amount, String key) {}

  record Pick(String shelf) {}

  record Parcel(String label) {}

  record Invoice(String number) {}

  record Approval(String by) {}

  static final class CardRefused extends Exception {
    private static final long serialVersionUID = 1L;
  }

  interface Bank {
    Payment charge(BigDecimal amount, String key) throws CardRefused;
  }

  record Order(String customer, List<Line> lines, BigDecimal price) {}

  final class Shop {
    private final Bank bank = Payment::new;

    Payment charge(Order order, EffectCall call) throws CardRefused {
      calls.add("charge");
      return bank.charge(order.price(), call.key());
    }

    void refund(Payment payment) {
      calls.add("refund " + payment.amount());
    }

    Pick pick(Line line) {
      calls.add("pick " + line.article());
      return new Pick("shelf of " + line.article());
    }

    void putBack(Line line) {
      calls.add("put back " + line.article());
    }

    void warn(Order order) {
      calls.add("warn " + order.customer());
    }

    Parcel ship(Order order, Approval approval) {
      calls.add("ship");
      return new Parcel(order.customer() + " by " + approval.by());
    }
  }

  static final Key<Order> ORDER = Key.of(Order.class); // named "order"
  static final Key<List<Line>> LINES = ORDER.get("lines", Order::lines); // a named view
  static final Key<Line> LINE = Key.of(Line.class);
  static final Key<Pick> PICK = Key.of(Pick.class);
  static final Key<List<Pick>> PICKS = Key.list("picks", Pick.class);
  static final Key<Payment> PAYMENT = Key.of(Payment.class);
  static final Key<Parcel> PARCEL = Key.of(Parcel.class);
  static final Key<Invoice> INVOICE = Key.of(Invoice.class);
  static final Signal<Approval> APPROVED = Signal.of("approved", Approval.class);

  private final Workflow<Order, Invoice> billing =
      workflow(
          "billing",
          ORDER,
          INVOICE,
          effect("bill", ORDER, o -> new Invoice("bill of " + o.customer())).as(INVOICE));

  private Workflow<Order, Parcel> order(Shop shop) {
    Workflow<Order, Parcel> order =
        workflow(
                "order",
                ORDER,
                PARCEL,
                par(
                    effect("charge", ORDER, shop::charge)
                        .as(PAYMENT)
                        .undo(PAYMENT, shop::refund)
                        .retry(exponential(5).except(CardRefused.class)),
                    each(
                            LINES,
                            LINE,
                            effect("pick", LINE, shop::pick).as(PICK).undo(LINE, shop::putBack))
                        .collect(PICK, PICKS)
                        .atOnce(4)),
                xor(
                    when(
                        "expensive",
                        ORDER,
                        o -> o.price().compareTo(TEN) > 0,
                        action("warn", ORDER, o -> shop.warn(o))),
                    otherwise()),
                child("invoice", billing, ORDER).as(INVOICE),
                defer(
                    on(APPROVED, effect("ship", ORDER, APPROVED.payload(), shop::ship).as(PARCEL)),
                    after(Duration.ofDays(2), fail("no decision"))))
            .attribute("customer", ORDER, Order::customer);
    return order;
  }

  @Test
  void the_sketch_runs_to_its_parcel() throws Exception {
    Paths path = new Paths();
    List<Line> lines = List.of(new Line("nut", 3), new Line("bolt", 1));
    Workflow<Order, Parcel> order = order(new Shop());

    try (var engine = Engine.open(path.of("orders"), order)) {
      Run<Parcel> run =
          engine.start(order, "order-42", new Order("acme", lines, new BigDecimal("42.00")));
      run.signal(APPROVED, new Approval("eve"));
      Parcel parcel = run.join();

      assertThat(parcel).isEqualTo(new Parcel("acme by eve"));
      String end =
          switch (run.await()) {
            case Completed(var shipped) -> shipped.label();
            case Failed(var error) -> error.reason();
            case Cancelled(_, var reason) -> reason;
            case Stuck(var report) -> report.toString();
          };
      assertThat(end).isEqualTo("acme by eve");
      assertThat(calls)
          .containsExactlyInAnyOrder("charge", "pick nut", "pick bolt", "warn acme", "ship");
    }
  }

  @Test
  void the_price_keeps_its_scale_and_the_handler_sees_its_key() throws Exception {
    Workflow<Order, Parcel> order = order(new Shop());

    try (var engine = Engine.open(order)) {
      Run<Parcel> run =
          engine.start(order, "one", new Order("acme", List.of(), new BigDecimal("42.00")));
      run.signal(APPROVED, new Approval("eve"));
      run.join();

      Receipt charged =
          run.receipts().stream()
              .filter(each -> each.body().task().equals("charge"))
              .findFirst()
              .orElseThrow();
      Payment payment =
          BoundKey.of(PAYMENT).read(((Receipt.Result.Ok) charged.body().result()).result());
      assertThat(payment).isEqualTo(new Payment(new BigDecimal("42.00"), charged.body().key()));
    }
  }

  @Test
  void a_cancelled_order_gives_the_money_back() throws Exception {
    Workflow<Order, Parcel> order = order(new Shop());

    try (var engine = Engine.open(order)) {
      Run<Parcel> run =
          engine.start(
              order, "one", new Order("acme", List.of(new Line("nut", 1)), new BigDecimal("5.00")));
      while (!run.status().places().contains("approved")) {
        LockSupport.parkNanos(100_000);
      }
      run.cancel();
      run.await();

      assertThat(calls).contains("refund 5.00", "put back nut").doesNotContain("warn acme");
    }
  }
}
