package dev.damask.examples.seeds;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.caller.CaseOptions;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.EffectCall;
import dev.damask.effect.Receipt;
import dev.damask.event.TraceEvent;
import dev.damask.store.MemoryStore;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.TaskResult;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The examples of the design documents: a sequence, a parallel block, a counted loop, a cancelled
/// scope, an order, an email and a payment. The documents `seed-*.yaml` hold the same workflows.
public final class SeedExamples {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private SeedExamples() {}

  public static void main(String[] arguments) throws InterruptedException {
    run(System.out);
  }

  static void run(PrintStream out) throws InterruptedException {
    trace(workflow("sequence", seq(step("a"), step("b"))), out);
    trace(workflow("parallel", par(step("a"), step("b"))), out);
    trace(workflow("loop", repeat(3, step("a"))), out);
    cancel(out);
    order(out);
    email(out);
    payment(out);
  }

  /// A pure task that counts how often it ran.
  private static Term.Task step(String name) {
    return task(name, context -> context.with(name, count(context.get(name)) + 1));
  }

  private static long count(@Nullable Object value) {
    return value instanceof Long number ? number : 0;
  }

  /// Runs a workflow of pure tasks and prints the rules it took.
  private static void trace(WorkflowDefinition workflow, PrintStream out)
      throws InterruptedException {
    try (var engine = Engine.open(workflow)) {
      var full = CaseOptions.DEFAULT.withTrace(TraceLevel.FULL);
      var run = engine.start(workflow, workflow.name() + "-1", Context.empty(), full);
      out.println(workflow.name() + ": " + run.await());
      out.println("  " + rules(run.trace()));
    }
  }

  private static List<String> rules(List<TraceEvent> events) {
    return events.stream()
        .filter(event -> event.isReduction() || event.rule().equals("JOIN-FIRE"))
        .map(TraceEvent::rule)
        .toList();
  }

  /// Both tasks wait when `scope1` is cancelled; nothing continues, so the case is cancelled.
  private static void cancel(PrintStream out) throws InterruptedException {
    var cancel = workflow("cancel", scope("scope1", par(effect("a"), effect("b"))));
    try (var engine = Engine.open(cancel)) {
      var run = engine.start(cancel, "cancel-1", Context.empty());
      out.println("cancel: " + run.state().tokens().size() + " tokens wait");
      run.cancel("scope1");
      var ended = run.await().getClass().getSimpleName();
      out.println("  " + ended + ", scope1 cancelled: " + run.isCancelled("scope1"));
    }
  }

  private static void order(PrintStream out) throws InterruptedException {
    var order =
        workflow("order", par(step("verify_payment"), step("check_inventory")), step("ship_order"));
    trace(order, out);
  }

  /// The task returns a request; the handler sends, once for each email id.
  private static void email(PrintStream out) throws InterruptedException {
    var email = workflow("email", task("send_email", SeedExamples::sendEmail));
    var options =
        EngineOptions.defaults()
            .withHandler("send_email", call -> Context.of("sent_to", call.with().get("to")));
    try (var engine = Engine.open(options, new MemoryStore(), email)) {
      var run = engine.start(email, "email-1", Context.of("email_id", "email_7"));
      out.println("email: " + run.await());
      run.receipts().forEach(receipt -> out.println("  " + shown(receipt)));
    }
  }

  private static TaskResult sendEmail(Context context) {
    var payload = Context.of("to", "user@example.com", "subject", "Hello").with("body", "...");
    var key = String.valueOf(context.get("email_id"));
    return new TaskResult.Wants(new EffectSpec("send_email", payload, key), context);
  }

  /// Two cases with one payment id charge once: the second gets the first one's receipt.
  private static void payment(PrintStream out) throws InterruptedException {
    var payment = workflow("payment", task("process_payment", SeedExamples::processPayment));
    var options = EngineOptions.defaults().withHandler("payment_charge", SeedExamples::charge);
    var paid = Context.of("payment_id", "payment_123", "amount", 120);
    try (var engine = Engine.open(options, new MemoryStore(), payment)) {
      for (var id : List.of("payment-1", "payment-2")) {
        var run = engine.start(payment, id, paid);
        out.println(id + ": " + run.await(TIMEOUT).orElseThrow());
        run.receipts().forEach(receipt -> out.println("  " + shown(receipt)));
      }
    }
  }

  private static TaskResult processPayment(Context context) {
    var payload = Context.of("amount", context.get("amount"), "currency", "USD");
    var key = String.valueOf(context.get("payment_id"));
    return new TaskResult.Wants(new EffectSpec("payment_charge", payload, key), context);
  }

  private static Context charge(EffectCall call) {
    return Context.of("charged", call.with().get("amount"));
  }

  private static String shown(Receipt receipt) {
    var body = receipt.body();
    return body.type() + " " + body.key() + " " + body.result().getClass().getSimpleName();
  }
}
