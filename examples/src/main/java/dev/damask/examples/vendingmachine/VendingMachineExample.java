package dev.damask.examples.vendingmachine;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.repeatUntil;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Flow.xor;

import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.task.Guard;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.io.PrintStream;
import java.util.Map;

/// A machine that sells one drink: it accepts coins until a customer chooses or asks for the money
/// back. A choice that comes too early is rejected; if a drink is stuck, the money is returned.
public final class VendingMachineExample {
  private static final long PRICE = 150;
  private static final Key<Long> CREDIT = Key.of("credit", Long.class);
  private static final Key<Long> COIN = Key.of("coin", Long.class);

  private final PrintStream out;

  private VendingMachineExample(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] arguments) throws InterruptedException {
    run(System.out);
  }

  private WorkflowDefinition machine() {
    var isEnded = Guard.named("ended", context -> context.has("ended"));
    var isEnough = Guard.named("credit >= price", context -> context.get(CREDIT) >= PRICE);
    var isStuck = Guard.named("stuck", context -> context.has("stuck"));
    return workflow(
        "vending machine",
        repeatUntil(
            isEnded,
            defer(
                on("coin", task("count", VendingMachineExample::count)),
                on(
                    "choose",
                    xor(
                        when(
                            isEnough,
                            seq(
                                effect("dispense", this::dispense),
                                xor(
                                    when(isStuck, effect("pay back", this::payBack)),
                                    otherwise(effect("give change", this::giveChange))))),
                        otherwise(effect("ask for more", this::askForMore)))),
                on("cancel", effect("pay out", this::payBack)))));
  }

  private static Context count(Context context) {
    return context.with("credit", context.get(CREDIT) + context.get(COIN));
  }

  private Map<String, Object> dispense(Context context) {
    if (context.has("jam")) {
      out.println("  the drink is stuck");
      return Map.of("stuck", true);
    }
    out.println("  here is your drink");
    return Map.of();
  }

  private Map<String, Object> giveChange(Context context) {
    out.println("  change: " + (context.get(CREDIT) - PRICE));
    return Map.of("ended", "sold");
  }

  private Map<String, Object> askForMore(Context context) {
    out.println("  please pay " + (PRICE - context.get(CREDIT)) + " more");
    return Map.of();
  }

  private Map<String, Object> payBack(Context context) {
    out.println("  money back: " + context.get(CREDIT));
    return Map.of("ended", "paid back");
  }

  static void run(PrintStream out) throws InterruptedException {
    WorkflowDefinition machine = new VendingMachineExample(out).machine();
    try (var engine = Engine.open(machine)) {
      out.println("a thirsty customer");
      Run<Context> thirsty = engine.start(machine, "one", Context.of("credit", 0));
      thirsty.signal("coin", Map.of("coin", 100));
      thirsty.signal("choose");
      thirsty.signal("coin", Map.of("coin", 100));
      thirsty.signal("choose");
      out.println("  " + thirsty.await());

      out.println("a customer who changes her mind");
      Run<Context> fickle = engine.start(machine, "two", Context.of("credit", 0));
      fickle.signal("coin", Map.of("coin", 50));
      fickle.signal("cancel");
      out.println("  " + fickle.await());
      out.println("  one more coin: " + fickle.signal("coin", Map.of("coin", 50)).kind());

      out.println("a customer without luck");
      Run<Context> unlucky = engine.start(machine, "three", Context.of("credit", 0, "jam", true));
      unlucky.signal("coin", Map.of("coin", 200));
      unlucky.signal("choose");
      out.println("  " + unlucky.await());
    }
  }
}
