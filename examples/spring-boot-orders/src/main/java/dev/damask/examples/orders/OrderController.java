package dev.damask.examples.orders;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.cases.Engine;
import dev.damask.examples.orders.OrderDesk.Approval;
import dev.damask.examples.orders.OrderDesk.Parcel;
import dev.damask.term.Workflow;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/// Orders over HTTP.
@RestController
@RequestMapping("/orders")
public class OrderController {
  private final Engine engine;
  private final Workflow<PlacedOrder, Parcel> order;

  /// Creates the controller with the application's engine and workflow.
  public OrderController(Engine engine, Workflow<PlacedOrder, Parcel> order) {
    this.engine = engine;
    this.order = order;
  }

  /// An order as the service shows it.
  public record OrderStatus(String id, String status, List<String> waitsFor) {}

  /// Places an order. A repeated request changes nothing: the id of the order is that of its case.
  @PutMapping("/{id}")
  public ResponseEntity<OrderStatus> place(
      @PathVariable String id, @RequestBody PlacedOrder placed) {
    engine.start(order, id, placed);
    return ResponseEntity.status(HttpStatus.ACCEPTED).body(show(id));
  }

  /// Approves an order and returns what was sent.
  @PostMapping("/{id}/approval")
  public ResponseEntity<?> approve(@PathVariable String id, @RequestBody Approval approval)
      throws InterruptedException {
    var run = engine.run(order, id);
    run.signal(OrderWorkflow.APPROVED, approval, "approval");
    return switch (run.await()) {
      case CaseResult.Completed(var parcel) -> ResponseEntity.ok(parcel);
      case CaseResult.Failed(var failure) ->
          ResponseEntity.status(HttpStatus.CONFLICT).body(Map.of("reason", failure.reason()));
      default -> ResponseEntity.status(HttpStatus.CONFLICT).body(Map.of("reason", "not shipped"));
    };
  }

  /// Returns how far an order is.
  @GetMapping("/{id}")
  public OrderStatus show(@PathVariable String id) {
    CaseView view = engine.status(id);
    return new OrderStatus(
        id, view.status().name().toLowerCase(java.util.Locale.ROOT), view.places());
  }
}
