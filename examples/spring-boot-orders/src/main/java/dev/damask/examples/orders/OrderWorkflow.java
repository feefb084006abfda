package dev.damask.examples.orders;

import static dev.damask.typed.Steps.after;
import static dev.damask.typed.Steps.defer;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.exponential;
import static dev.damask.typed.Steps.fail;
import static dev.damask.typed.Steps.on;
import static dev.damask.typed.Steps.workflow;

import dev.damask.examples.orders.OrderDesk.Approval;
import dev.damask.examples.orders.OrderDesk.Parcel;
import dev.damask.examples.orders.OrderDesk.Payment;
import dev.damask.spring.WorkflowConfiguration;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.value.Key;
import java.time.Duration;
import org.springframework.context.annotation.Bean;

/// An order is charged, waits two days for an approval, and is shipped or refunded.
@WorkflowConfiguration
public class OrderWorkflow {
  static final Key<PlacedOrder> ORDER = Key.of(PlacedOrder.class);
  static final Key<Payment> PAYMENT = Key.of(Payment.class);
  static final Key<Parcel> PARCEL = Key.of(Parcel.class);
  static final Signal<Approval> APPROVED = Signal.of("approved", Approval.class);

  @Bean
  Workflow<PlacedOrder, Parcel> order(OrderDesk desk) {
    return workflow(
        "order",
        ORDER,
        PARCEL,
        effect("charge", ORDER, desk::charge)
            .as(PAYMENT)
            .undo(PAYMENT, desk::refund)
            .retry(exponential(5)),
        defer(
            on(APPROVED, effect("ship", ORDER, APPROVED.payload(), desk::ship).as(PARCEL)),
            after(Duration.ofDays(2), fail("no approval"))));
  }
}
