package dev.damask.cases;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.exponential;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseResult.Cancelled;
import dev.damask.caller.CaseResult.Completed;
import dev.damask.caller.CaseResult.Failed;
import dev.damask.caller.CaseResult.Stuck;
import dev.damask.effect.Receipt;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/// The example of the architecture page, as it is written there.
final class OrderExampleTest {
  private static final Map<String, Object> ORDER_42 = Map.of("item", "loom", "price", 42);

  private final List<String> calls = new CopyOnWriteArrayList<>();

  private Map<String, Object> charge(Context context) {
    calls.add("charge");
    return Map.of("payment", "p-1");
  }

  private Map<String, Object> refund(Context context) {
    calls.add("refund " + context.get("payment"));
    return Map.of();
  }

  private Map<String, Object> reserve(Context context) {
    calls.add("reserve");
    return Map.of("shelf", 7);
  }

  private Map<String, Object> release(Context context) {
    calls.add("release " + context.get("shelf"));
    return Map.of();
  }

  private Map<String, Object> ship(Context context) {
    calls.add("ship for " + context.get("by"));
    return Map.of("parcel", "x-9");
  }

  private WorkflowDefinition order() {
    return workflow(
        "order",
        par(
            effect("charge", this::charge).undo(this::refund).retry(exponential(5)),
            effect("reserve", this::reserve).undo(this::release)),
        defer(
            on("approved", effect("ship", this::ship)),
            on("rejected", fail("rejected")),
            after(Duration.ofDays(2), fail("no decision"))));
  }

  @Test
  void an_approved_order_is_shipped() throws InterruptedException {
    var order = order();
    try (var engine = Engine.open(order)) {
      var run = engine.start(order, "order-42", Context.of("order", ORDER_42));
      run.signal("approved", Map.of("by", "eve"));
      String told =
          switch (run.await()) {
            case Completed(var context) -> "completed " + context.get("parcel");
            case Failed(var error) -> "failed " + error;
            case Cancelled(var scope, var reason) -> "cancelled " + scope + ": " + reason;
            case Stuck(var report) -> "stuck " + report;
          };

      assertThat(told).isEqualTo("completed x-9");
      assertThat(calls).containsExactlyInAnyOrder("charge", "reserve", "ship for eve");
      assertThat(run.receipts())
          .hasSize(3)
          .allMatch(receipt -> receipt.body().result() instanceof Receipt.Result.Ok);
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void a_rejected_order_is_undone() throws InterruptedException {
    var order = order();
    try (var engine = Engine.open(order)) {
      var run = engine.start(order, "order-43", Context.of("order", ORDER_42));
      run.signal("rejected");

      CaseResult<Context> result = run.await();

      assertThat(result).isInstanceOf(Failed.class);
      assertThat(((Failed) result).error().reason()).isEqualTo("rejected");
      assertThat(calls)
          .contains("charge", "reserve", "refund p-1", "release 7")
          .doesNotContain("ship");
    }
  }
}
