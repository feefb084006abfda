package dev.damask.simulation;

import static dev.damask.simulation.ProbeParts.completed;
import static dev.damask.simulation.ProbeParts.once;
import static dev.damask.simulation.ProbeParts.probe;
import static dev.damask.simulation.ProbeParts.require;
import static dev.damask.term.Flow.workflow;

import dev.damask.effect.Receipt;
import dev.damask.script.ScriptFunction;
import dev.damask.script.ScriptRun;
import dev.damask.script.ScriptStep;
import dev.damask.script.ScriptUndo;
import dev.damask.store.CaseStatus;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// Scripts whose end is known whatever happens on the way.
final class ScriptProbes {
  static final int COUNT = 2;

  private static final TaskOptions RETRIED =
      TaskOptions.DEFAULT.withRetry(new Retry(1_000, Duration.ofMillis(10), 1.0, 0.0));

  private final Choices choices;
  private final Supplier<Simulation> current;

  /// @param current the run that the cases belong to
  ScriptProbes(Choices choices, Supplier<Simulation> current) {
    this.choices = choices;
    this.current = current;
  }

  Job make(String caseId, int number) {
    return number == 0 ? steps(caseId) : undo(caseId);
  }

  private static WorkflowDefinition scripted(String name, ScriptFunction function) {
    Term undo =
        new Term.Task(
            "undo s",
            new Term.Work.Pure(new ScriptUndo("s", function), "undo s"),
            TaskOptions.DEFAULT,
            null);
    Term script = new Term.Task("s", new Term.Work.Pure(function, "s"), TaskOptions.DEFAULT, undo);
    return workflow(name, script).withPlaces(Place.external(ScriptFunction.MAILBOX));
  }

  private static Context call(ScriptRun run, String name) {
    return run.step(ScriptStep.call(name, Context.empty(), RETRIED, _ -> null, _ -> _ -> null));
  }

  /// Every step happens once, an item of `all` continues whatever the others do, and recorded
  /// values stay the same.
  private Job steps(String caseId) {
    boolean hasSignal = choices.oneIn(2);
    ScriptFunction function =
        (run, context) -> {
          call(run, "one");
          double random = run.random();
          List<Integer> all =
              run.all(
                  List.of(1, 2, 3),
                  2,
                  item -> {
                    call(run, "two");
                    call(run, "A");
                    return item;
                  });
          var _ = run.step(ScriptStep.sleep(Duration.ofSeconds(1)));
          Context got = run.step(ScriptStep.await("go", Duration.ofSeconds(30)));
          run.step(
              ScriptStep.call("three", Context.of("random", random), RETRIED, _ -> null, null));
          return context.with("items", all.size()).with("got", got.has(ScriptStep.SIGNAL));
        };
    List<Job.Event> outside =
        hasSignal ? List.of(ProbeParts.signal(choices.next(1_000), "go")) : List.of();
    return probe(
        caseId,
        scripted("script", function),
        outside,
        (record, result, world) -> {
          completed(record);
          once(record, world, "s/one", 1);
          once(record, world, "s/three", 1);
          for (int i = 0; i < 3; i++) {
            once(record, world, "s/all:" + i + "/two", 1);
            once(record, world, "s/all:" + i + "/A", 1);
          }
          require(record, Long.valueOf(3).equals(result.get("items")), "returned " + result);
          boolean hasGot = Boolean.TRUE.equals(result.get("got"));
          require(record, hasSignal || !hasGot, "got a signal that was never sent");
        });
  }

  /// A failing script undoes the steps it completed, once each, in the reverse order of receipts.
  private Job undo(String caseId) {
    ScriptFunction function =
        (run, context) -> {
          call(run, "one");
          var _ =
              run.all(
                  List.of(1, 2),
                  2,
                  item -> {
                    call(run, "two");
                    return item;
                  });
          throw new IllegalStateException("planned");
        };
    return probe(
        caseId,
        scripted("script undo", function),
        List.of(),
        (record, _, world) -> {
          require(record, record.status() == CaseStatus.FAILED, "ended otherwise");
          List<String> done = new ArrayList<>();
          List<String> undone = new ArrayList<>();
          for (Receipt receipt : current.get().receipts(caseId)) {
            boolean isOk = receipt.body().result() instanceof Receipt.Result.Ok;
            String task = receipt.body().task();
            if (isOk && task.startsWith("undo")) {
              undone.add(receipt.body().type());
            } else if (isOk) {
              done.addFirst("undo " + receipt.body().type());
            }
          }
          require(record, done.size() == 3, "did " + done);
          require(record, done.equals(undone), "undid " + undone + ", not " + done);
          once(record, world, "undo s/undo one", 1);
        });
  }
}
