package dev.damask.examples.discriminator;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Patterns;
import dev.damask.term.Term;
import dev.damask.value.Context;
import java.io.PrintStream;
import java.util.Map;
import java.util.stream.Collectors;

/// Three suppliers are asked for a price and the first answer decides. Twice: once the others are
/// received and ignored, once they are called off.
public final class DiscriminatorExample {
  private DiscriminatorExample() {}

  public static void main(String[] arguments) throws InterruptedException {
    run(System.out);
  }

  static void run(PrintStream out) throws InterruptedException {
    Term[] suppliers = {effect("north"), effect("south"), effect("west")};
    out.println("the first answer decides, the others are received and ignored");
    ask(Patterns.structuredDiscriminator(suppliers), out);
    out.println("the first answer decides, the others are called off");
    ask(join(JoinPolicy.firstComplete(), suppliers), out);
  }

  private static void ask(Term prices, PrintStream out) throws InterruptedException {
    var buy =
        workflow(
            "buy",
            prices,
            task("order", context -> context.with("order", "at " + context.get("price"))));
    try (var engine = Engine.open(buy)) {
      engine.start(buy, "buy-1", Context.empty());
      waiting(engine, out);
      answer(engine, "south", 90, out);
      answer(engine, "north", 70, out);
      answer(engine, "west", 80, out);
      out.println("  " + engine.await("buy-1"));
    }
  }

  /// No handler is registered for the suppliers' tasks, so they wait until a caller completes them.
  private static void answer(Engine engine, String supplier, int price, PrintStream out) {
    var asked =
        engine.status("buy-1").tasks().stream()
            .filter(task -> task.task().equals(supplier))
            .findFirst();
    if (asked.isEmpty()) {
      out.println("  " + supplier + " is not asked any more");
      return;
    }
    engine.completeTask("buy-1", asked.get().id(), Map.of("price", price));
    out.println("  " + supplier + " answers " + price);
    waiting(engine, out);
  }

  private static void waiting(Engine engine, PrintStream out) {
    CaseView view = engine.status("buy-1");
    out.println(
        view.tasks().isEmpty()
            ? "  waiting for no supplier"
            : view.tasks().stream()
                .map(PendingTask::task)
                .collect(Collectors.joining(", ", "  waiting for ", "")));
  }
}
