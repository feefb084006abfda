package dev.damask.examples.order;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.exponential;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.workflow;

import dev.damask.cases.CaseResult.Cancelled;
import dev.damask.cases.CaseResult.Completed;
import dev.damask.cases.CaseResult.Failed;
import dev.damask.cases.CaseResult.Stuck;
import dev.damask.cases.Engine;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/// An order that is charged and reserved in parallel, waits for a decision, and is then shipped or
/// undone. The case is stored in a directory and resumes after a crash of the process.
///
/// ```
/// OrderExample DIR approved        ships the order
/// OrderExample DIR rejected        undoes the order
/// OrderExample DIR approved crash  kills the process during ship; start it again to resume
/// ```
public final class OrderExample {
  private OrderExample() {}

  static WorkflowDefinition order(Shop shop) {
    return workflow(
        "order",
        par(
            effect("charge", shop::charge).undo(shop::refund).retry(exponential(5)),
            effect("reserve", shop::reserve).undo(shop::release)),
        defer(
            on("approved", effect("ship", shop::ship)),
            on("rejected", fail("rejected")),
            after(Duration.ofDays(2), fail("no decision"))));
  }

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    boolean crashes = arguments.length > 2 && arguments[2].equals("crash");
    run(directory, arguments[1], new Shop(directory.resolve("shop"), crashes), System.out);
  }

  static void run(Path directory, String decision, Shop shop, PrintStream out) throws Exception {
    WorkflowDefinition order = order(shop);
    try (var engine = Engine.open(directory.resolve("orders"), order)) {
      // If a case with this id exists, start returns a handle to it.
      var run = engine.start(order, "order-42", Context.of("item", "loom", "price", 42));
      // The message id makes it safe to send the signal again after a crash.
      run.signal(decision, Map.of("by", "eve"), "the decision");
      String result =
          switch (run.await()) {
            case Completed(var context) ->
                "completed, %s by %s".formatted(decision, context.get("by"));
            case Failed(var error) -> "failed, " + error.reason();
            case Cancelled(var scope, var reason) -> "cancelled, " + scope + ": " + reason;
            case Stuck(var report) -> "stuck, " + report;
          };
      out.println("order-42 " + result);
      shop.print(out);
    }
  }
}
