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
import dev.damask.task.Context;
import dev.damask.term.Workflow;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/// An order that is paid and reserved at the same time, waits for a decision, and is shipped or
/// undone. It lives in a folder and survives whatever happens to the process.
///
/// ```
/// OrderExample FOLDER approved        ships
/// OrderExample FOLDER rejected        undoes
/// OrderExample FOLDER approved crash  dies while it ships; start it again to see it go on
/// ```
public final class OrderExample {
  private OrderExample() {}

  static Workflow order(Shop shop) {
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
    Path folder = Path.of(arguments[0]);
    boolean crashes = arguments.length > 2 && arguments[2].equals("crash");
    run(folder, arguments[1], new Shop(folder.resolve("shop"), crashes), System.out);
  }

  static void run(Path folder, String decision, Shop shop, PrintStream out) throws Exception {
    Workflow order = order(shop);
    try (var engine = Engine.open(folder.resolve("orders"), order)) {
      // Starting what is there already gives what is there already.
      var run = engine.start(order, "order-42", Context.of("item", "loom", "price", 42));
      // The id of the message makes it safe to send it once more after a crash.
      run.signal(decision, Map.of("by", "eve"), "the decision");
      String told =
          switch (run.await()) {
            case Completed(var context) ->
                "completed, %s by %s".formatted(decision, context.get("by"));
            case Failed(var error) -> "failed, " + error.reason();
            case Cancelled(var scope) -> "cancelled, " + scope;
            case Stuck(var report) -> "stuck, " + report;
          };
      out.println("order-42 " + told);
      shop.print(out);
    }
  }
}
