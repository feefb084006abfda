package dev.damask.simulation;

import dev.damask.cases.ManualEngine;
import dev.damask.exec.Input;
import dev.damask.task.Context;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/// Callers that do not give up: whoever gets no answer asks again, with the same id.
final class Clients {
  private static final long PATIENCE = 3_000;

  private final Simulation simulation;
  private int requests;

  Clients(Simulation simulation) {
    this.simulation = simulation;
  }

  /// What one caller wants, until it has heard that it is done.
  private final class Request {
    final String what;
    final Function<ManualEngine, CompletableFuture<?>> send;
    final Runnable acknowledged;
    int asked;
    boolean isDone;

    Request(String what, Function<ManualEngine, CompletableFuture<?>> send, Runnable acknowledged) {
      this.what = what;
      this.send = send;
      this.acknowledged = acknowledged;
    }

    void ask() {
      if (isDone) {
        return;
      }
      ManualEngine engine = simulation.engine();
      if (engine == null) {
        again(500);
        return;
      }
      if (asked++ > 0) {
        simulation.count(Situation.SIGNAL_REPEATED);
      }
      try {
        var _ = send.apply(engine).whenComplete((_, thrown) -> answered(thrown));
        again(PATIENCE);
      } catch (IllegalStateException e) {
        again(200); // busy, or the disk is full
      }
    }

    private void answered(Throwable thrown) {
      if (thrown != null) {
        // There is no such case yet, it was put aside, or the engine is gone.
        isDone = thrown instanceof IllegalStateException;
        if (isDone && thrown.getCause() != null) {
          simulation.violated(new Violation("I16", String.valueOf(thrown.getMessage()), thrown));
        }
        return;
      }
      try {
        acknowledged.run();
      } catch (Violation found) {
        simulation.violated(found); // a future swallows what its listeners throw
      }
      isDone = !Faults.happens(simulation.chance(), simulation.faults().lostAnswer());
    }

    private void again(long millis) {
      simulation.later(millis, 0, what, this::ask);
    }
  }

  /// Plans everything that the outside does to a case.
  void plan(Job job) {
    String caseId = job.caseId();
    Request start =
        new Request(
            "start " + caseId,
            engine -> engine.start(job.workflow(), caseId, Context.empty(), job.options()),
            () -> simulation.invariants.acknowledged(caseId));
    simulation.later(0, 0, start.what, start::ask);
    for (Job.Event event : job.outside()) {
      String id = "m" + ++requests;
      Request request =
          new Request(
              name(event.input()) + " " + caseId,
              engine -> engine.feed(caseId, event.input(), id),
              () -> {
                simulation.invariants.acknowledged(caseId, id);
                simulation.invariants.acknowledged(caseId, event.input());
              });
      simulation.later(event.afterMillis(), 0, request.what, request::ask);
    }
  }

  private static String name(Input input) {
    return switch (input) {
      case Input.Signal(var place, _) -> "signal " + place;
      case Input.Kill(var scope, _) -> "kill " + scope;
      case Input.AddInstance _ -> "add";
      case Input.CloseInstances _ -> "close";
      case Input.Fail _ -> "fail";
      case Input.Advance _ -> "advance";
      case Input.CancelTask _ -> "cancel task";
      case Input.TaskDone _ -> "done";
      case Input.TaskFailed _ -> "failed";
    };
  }
}
