package dev.damask.simulation;

import static dev.damask.simulation.ProbeParts.completed;
import static dev.damask.simulation.ProbeParts.once;
import static dev.damask.simulation.ProbeParts.probe;
import static dev.damask.simulation.ProbeParts.require;
import static dev.damask.simulation.ProbeParts.retried;
import static dev.damask.simulation.ProbeParts.signal;
import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.term.Place;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;

/// Cases that operators pause and change, whose end is known whatever happens on the way.
final class OperatorProbes {
  static final int COUNT = 2;

  private static final long CHANGED = 7;

  private final Choices choices;

  OperatorProbes(Choices choices) {
    this.choices = choices;
  }

  Job make(String caseId, int number) {
    return number == 0 ? paused(caseId) : changed(caseId);
  }

  /// Every effect happens once, and every signal counts once, whenever the case was paused.
  private Job paused(String caseId) {
    var flow =
        workflow(
                "paused",
                par(
                    seq(retried("A"), retried("B")),
                    seq(take("go"), retried("C")),
                    defer(after(Duration.ofSeconds(2), skip()))),
                take("go"),
                retried("D"))
            .withPlaces(Place.external("go"));
    List<Job.Event> outside =
        List.of(
            new Job.Event(choices.next(2_000), new Act.Pause()),
            signal(choices.next(4_000), "go"),
            signal(choices.next(4_000), "go"));
    return probe(
        caseId,
        flow,
        outside,
        (record, _, world) -> {
          completed(record);
          for (String each : List.of("A", "B", "C", "D")) {
            once(record, world, each, 1);
          }
        });
  }

  /// Data that an operator changed before the signal is what the task after it reads.
  private Job changed(String caseId) {
    var flow =
        workflow(
                "changed",
                task("begin", context -> context.with("v", 1)),
                take("go"),
                task("read", context -> context.with("read", context.get("v"))))
            .withPlaces(Place.external("go"));
    Act change = new Act.Change(Context.of("v", CHANGED), "go");
    return probe(
        caseId,
        flow,
        List.of(new Job.Event(choices.next(1_000), change)),
        (record, result, _) -> {
          completed(record);
          require(
              record,
              Long.valueOf(CHANGED).equals(result.get("read")),
              "read " + result.get("read") + " instead of the changed data");
        });
  }
}
