package dev.damask.examples.cancelregion;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.effect.Receipt;
import dev.damask.term.JoinPolicy;
import dev.damask.value.Context;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/// A journey is booked in three parts while an observer watches the weather. A storm cancels
/// whatever is still being booked, and what comes from there later changes nothing.
public final class CancelRegionExample {
  private CancelRegionExample() {}

  public static void main(String[] arguments) throws InterruptedException {
    run(System.out);
  }

  static void run(PrintStream out) throws InterruptedException {
    var journey =
        workflow(
            "journey",
            join(
                JoinPolicy.syncMerge(),
                seq(
                    scope("booking", par(effect("flight"), effect("hotel"), effect("car"))),
                    task("packed", context -> context.with("packed", true))),
                defer(
                    on("storm", kill("booking")),
                    on("sunshine", task("smile", context -> context)))),
            task("plan", context -> context.with("plan", plan(context))));
    try (var engine = Engine.open(journey)) {
      Run<Context> fine = engine.start(journey, "fine", Context.empty());
      List.of("flight", "hotel", "car").forEach(part -> book(fine, part, out));
      fine.signal("sunshine");
      out.println("fine: " + fine.await());

      Run<Context> wet = engine.start(journey, "wet", Context.empty());
      PendingTask hotel = book(wet, "flight", out);
      out.println("wet: storm " + wet.signal("storm").kind());
      out.println("wet: " + wet.await());
      out.println(
          "wet: hotel answers " + wet.completeTask(hotel.id(), Map.of("hotel", "booked")).kind());
      wet.receipts().forEach(receipt -> out.println("wet: " + shown(receipt)));
    }
  }

  private static String plan(Context context) {
    return context.has("packed") ? "go" : "stay at home";
  }

  /// Books a part and returns the task that waits then; the part itself when none is left.
  private static PendingTask book(Run<Context> run, String part, PrintStream out) {
    PendingTask task = find(run.status().tasks(), part);
    out.println(
        run.caseId()
            + ": "
            + part
            + " "
            + run.completeTask(task.id(), Map.of(part, "booked")).kind());
    List<PendingTask> left = run.status().tasks();
    return left.isEmpty() ? task : left.getFirst();
  }

  private static PendingTask find(List<PendingTask> tasks, String name) {
    return tasks.stream().filter(task -> task.task().equals(name)).findFirst().orElseThrow();
  }

  private static String shown(Receipt receipt) {
    return receipt.number() + " " + receipt.body().task() + " " + receipt.body().result();
  }
}
