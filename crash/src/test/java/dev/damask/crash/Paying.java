package dev.damask.crash;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.skip;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.EffectCall;
import dev.damask.task.Delivery;
import dev.damask.task.TaskOptions;
import dev.damask.term.Flow;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/// A workflow with something of everything that a crash may hit: effects of both kinds, a timer, a
/// signal.
final class Paying {
  static final String CHARGE = "charge";
  static final String SHIP = "ship";
  static final String CONFIRM = "confirm";
  static final String COMPLETED = "completed";
  static final String UNKNOWN = "failed unknown_outcome";
  static final String WAITS = "waits for a signal";
  static final String NOT_YET = "not yet";

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final WorkflowDefinition WORKFLOW =
      Flow.workflow(
          "paying",
          paid(CHARGE, Delivery.KEYED),
          par(paid(SHIP, Delivery.AT_MOST_ONCE), defer(after(Duration.ofMillis(20), skip()))),
          defer(on("confirmed", paid(CONFIRM, Delivery.KEYED))));

  private Paying() {}

  private static Term.Task paid(String type, Delivery delivery) {
    return effect(
            type,
            context -> new EffectSpec(type, Context.of("amount", context.get("amount")), null),
            null)
        .with(TaskOptions.DEFAULT.withDelivery(delivery));
  }

  static WorkflowDefinition workflow() {
    return WORKFLOW;
  }

  /// Options with which every effect goes to the witness.
  static EngineOptions calling(EngineOptions options, int port) {
    return options
        .withHandler(CHARGE, call -> witness(port, call))
        .withHandler(SHIP, call -> witness(port, call))
        .withHandler(CONFIRM, call -> witness(port, call));
  }

  private static Context witness(int port, EffectCall call) throws IOException {
    String payload = String.valueOf(call.with().get("amount"));
    Witness.call(port, new Ledger.Entry(call.type(), call.caseId(), call.key(), payload));
    return Context.of(call.type() + "ed", true);
  }

  /// Performs what a client asks for, and tells the answer in a few words.
  static String perform(Engine engine, String caseId, String words) throws InterruptedException {
    return switch (words) {
      case "start" -> {
        Context amount = Context.of("amount", (long) caseId.hashCode());
        yield String.valueOf(engine.startAsync(WORKFLOW, caseId, amount).join().isNew());
      }
      case "confirm" -> engine.signal(caseId, "confirmed", Map.of(), "m-" + caseId).kind().name();
      case "await" -> engine.await(caseId, LONG).map(Paying::end).orElse(NOT_YET);
      case "look" -> look(engine, caseId);
      default -> throw new IllegalArgumentException("nobody asks for " + words);
    };
  }

  /// How a case stands when everything has come to rest: nobody may have confirmed it.
  private static String look(Engine engine, String caseId) throws InterruptedException {
    long patience = System.nanoTime() + LONG.toNanos();
    CaseView view = engine.status(caseId);
    while ((!view.status().isEnded() && !view.tasks().isEmpty()) || view.nextDue().isPresent()) {
      if (System.nanoTime() > patience) {
        return "restless " + view;
      }
      Thread.sleep(5);
      view = engine.status(caseId);
    }
    return view.places().contains("confirmed")
        ? WAITS
        : engine.await(caseId, LONG).map(Paying::end).orElse(NOT_YET);
  }

  private static String end(CaseResult<Context> result) {
    return switch (result) {
      case CaseResult.Completed<Context> _ -> COMPLETED;
      case CaseResult.Failed(var error) -> "failed " + error.reason();
      case CaseResult.Cancelled<Context> _ -> "cancelled";
      case CaseResult.Stuck(var report) -> "stuck " + report.reason();
    };
  }
}
