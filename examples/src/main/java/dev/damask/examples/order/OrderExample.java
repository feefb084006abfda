package dev.damask.examples.order;

import static dev.damask.typed.Steps.after;
import static dev.damask.typed.Steps.defer;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.exponential;
import static dev.damask.typed.Steps.fail;
import static dev.damask.typed.Steps.on;
import static dev.damask.typed.Steps.par;
import static dev.damask.typed.Steps.workflow;

import dev.damask.caller.CaseResult.Cancelled;
import dev.damask.caller.CaseResult.Completed;
import dev.damask.caller.CaseResult.Failed;
import dev.damask.caller.CaseResult.Stuck;
import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.examples.order.Shop.Decision;
import dev.damask.examples.order.Shop.Parcel;
import dev.damask.examples.order.Shop.Payment;
import dev.damask.examples.order.Shop.Shelf;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.value.Key;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;

/// An order that is charged and reserved in parallel, waits for a decision, and is then shipped or
/// undone. The case is stored in a directory and resumes after a crash of the process.
///
/// ```
/// OrderExample DIR approved        ships the order
/// OrderExample DIR rejected        undoes the order
/// OrderExample DIR approved crash  kills the process during ship; start it again to resume
/// ```
public final class OrderExample {
  static final Key<Order> ORDER = Key.of(Order.class);
  static final Key<Payment> PAYMENT = Key.of(Payment.class);
  static final Key<Shelf> SHELF = Key.of(Shelf.class);
  static final Key<Parcel> PARCEL = Key.of(Parcel.class);
  static final Signal<Decision> APPROVED = Signal.of("approved", Decision.class);
  static final Signal<Decision> REJECTED = Signal.of("rejected", Decision.class);

  private OrderExample() {}

  static Workflow<Order, Parcel> order(Shop shop) {
    return workflow(
        "order",
        ORDER,
        PARCEL,
        par(
            effect("charge", ORDER, shop::charge)
                .as(PAYMENT)
                .undo(ORDER, shop::refund)
                .retry(exponential(5)),
            effect("reserve", ORDER, shop::reserve).as(SHELF).undo(ORDER, shop::release)),
        defer(
            on(APPROVED, effect("ship", ORDER, APPROVED.payload(), shop::ship).as(PARCEL)),
            on(REJECTED, fail("rejected")),
            after(Duration.ofDays(2), fail("no decision"))));
  }

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    boolean crashes = arguments.length > 2 && arguments[2].equals("crash");
    run(directory, arguments[1], new Shop(directory.resolve("shop"), crashes), System.out);
  }

  static void run(Path directory, String decision, Shop shop, PrintStream out) throws Exception {
    Workflow<Order, Parcel> order = order(shop);
    Signal<Decision> decided = decision.equals("approved") ? APPROVED : REJECTED;
    try (var engine = Engine.open(directory.resolve("orders"), order)) {
      // If a case with this id exists, start returns a handle to it.
      Run<Parcel> run = engine.start(order, "order-42", new Order("loom", 42));
      // The message id makes it safe to send the signal again after a crash.
      run.signal(decided, new Decision("eve"), "the decision");
      String result =
          switch (run.await()) {
            case Completed(var parcel) -> "completed, approved by " + parcel.approvedBy();
            case Failed(var error) -> "failed, " + error.reason();
            case Cancelled(var scope, var reason) -> "cancelled, " + scope + ": " + reason;
            case Stuck(var report) -> "stuck, " + report;
          };
      out.println("order-42 " + result);
      shop.print(out);
    }
  }
}
