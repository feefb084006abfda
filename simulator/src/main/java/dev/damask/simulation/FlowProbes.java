package dev.damask.simulation;

import static dev.damask.simulation.ProbeParts.completed;
import static dev.damask.simulation.ProbeParts.completes;
import static dev.damask.simulation.ProbeParts.number;
import static dev.damask.simulation.ProbeParts.once;
import static dev.damask.simulation.ProbeParts.probe;
import static dev.damask.simulation.ProbeParts.require;
import static dev.damask.simulation.ProbeParts.retried;
import static dev.damask.simulation.ProbeParts.signal;
import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.complete;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.set;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.event.Input;
import dev.damask.store.CaseStatus;
import dev.damask.task.Expression;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// Cases whose end is known whatever happens on the way: joins, loops, instances, regions, timers.
final class FlowProbes {
  static final int COUNT = 11;

  private final Choices choices;
  private final Supplier<Simulation> current;

  /// @param current the run that the cases belong to
  FlowProbes(Choices choices, Supplier<Simulation> current) {
    this.choices = choices;
    this.current = current;
  }

  private Simulation run() {
    return current.get();
  }

  Job make(String caseId, int number) {
    return switch (number) {
      case 0 -> tally(caseId);
      case 1 -> merge(caseId);
      case 2 -> loop(caseId);
      case 3 -> manyInstances(caseId);
      case 4 -> region(caseId);
      case 5 -> discriminator(caseId);
      case 6 -> timer(caseId);
      case 7 -> shortage(caseId);
      case 8 -> forkUnderCancel(caseId);
      case 9 -> manyBlocks(caseId);
      default -> migration(caseId);
    };
  }

  /// Every signal counts exactly once, however often it is sent.
  private Job tally(String caseId) {
    Term counting = task("count", c -> c.with("n", number(c, "n") + 1));
    WorkflowDefinition flow =
        workflow(
            "tally",
            set("n", Expression.constant(0)),
            repeatWhile(c -> number(c, "n") < 5, defer(on("s", counting))));
    List<Job.Event> outside = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      outside.add(signal(choices.next(20_000), "s"));
    }
    return probe(
        caseId,
        flow,
        outside,
        (record, _, _) ->
            require(
                record,
                record.status() == CaseStatus.WAITING,
                "four signals must not count as five"));
  }

  /// The last branch wins, whichever is ready last.
  private Job merge(String caseId) {
    WorkflowDefinition flow =
        workflow("merge", par(retried("one"), retried("two"), retried("three")), retried("A"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, result, world) -> {
          completed(record);
          require(record, Long.valueOf(3).equals(result.get("v")), "merged " + result);
          once(record, world, "one", 1);
          once(record, world, "three", 1);
          once(record, world, "A", 1);
        });
  }

  private Job loop(String caseId) {
    WorkflowDefinition flow =
        workflow("loop", repeat(3, seq(retried("one"), retried("two"))), retried("A"));
    return probe(caseId, flow, List.of(), completes(Map.of("one", 3, "two", 3, "A", 1)));
  }

  private Job manyInstances(String caseId) {
    WorkflowDefinition flow =
        workflow("many", instances("m", InstancePolicy.fixed(4), retried("one")), retried("A"));
    return probe(caseId, flow, List.of(), completes(Map.of("one", 4, "A", 1)));
  }

  /// The same block is open several times at once, and each of its joins meets its own branches.
  private Job manyBlocks(String caseId) {
    Term block = seq(par(retried("one"), retried("two")), retried("three"));
    WorkflowDefinition flow =
        workflow("blocks", instances("m", InstancePolicy.fixed(3), block), retried("A"));
    return probe(
        caseId, flow, List.of(), completes(Map.of("one", 3, "two", 3, "three", 3, "A", 1)));
  }

  /// Once the cancellation of the region is acknowledged nothing of it starts any more.
  private Job region(String caseId) {
    Term inner = scope("inner", repeat(50, retried("C")));
    WorkflowDefinition flow =
        workflow(
            "region",
            scope("R", par(repeat(50, retried("one")), seq(retried("two"), inner))),
            retried("D"));
    Job.Event kill = new Job.Event(choices.next(3_000), new Input.Kill("R", false));
    return probe(caseId, flow, List.of(kill), (record, _, _) -> {});
  }

  /// One of three continues, once per round; the others end by themselves and change nothing.
  private Job discriminator(String caseId) {
    Term round =
        seq(
            join(JoinPolicy.partial(1), retried("one"), retried("two"), retried("three")),
            task("next", c -> c.with("rounds", number(c, "rounds") + 1)));
    WorkflowDefinition flow = workflow("discriminator", repeat(3, round), retried("A"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, result, world) -> {
          completed(record);
          require(record, number(result, "rounds") == 3, "rounds " + result);
          once(record, world, "A", 1);
          once(record, world, "one", 3);
          once(record, world, "three", 3);
          run().count(CoveragePoint.LATE_DELIVERY_TO_CLOSED_JOIN); // two in each of three rounds
        });
  }

  /// Two of three branches cancel themselves, so two can never arrive: the join is given up.
  private Job shortage(String caseId) {
    WorkflowDefinition flow =
        workflow(
            "shortage",
            join(
                JoinPolicy.partial(2),
                scope("x", kill("x")),
                scope("y", kill("y")),
                retried("one")),
            retried("A"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, _, world) -> {
          require(record, record.status().isEnded(), "did not end");
          once(record, world, "A", 0);
          run().count(CoveragePoint.JOIN_GIVEN_UP);
        });
  }

  /// The first branch ends the region while the fork is still in progress.
  private Job forkUnderCancel(String caseId) {
    WorkflowDefinition flow =
        workflow(
            "fork", scope("R", par(complete("R"), retried("one"), retried("two"))), retried("A"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, _, world) -> {
          completed(record);
          once(record, world, "A", 1);
          run().count(CoveragePoint.CANCEL_DURING_FORK);
        });
  }

  /// Fires when its time has come, and never before.
  private Job timer(String caseId) {
    long millis = 1_000L * (1 + choices.next(20));
    WorkflowDefinition flow =
        workflow(
            "timer",
            defer(after(Duration.ofMillis(millis), task("fired", c -> c.with("at", run().now())))));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, result, _) -> {
          completed(record);
          long waited = number(result, "at") - record.startedMillis();
          Invariants.require("I13", waited >= millis, record, "fired after " + waited + " ms");
        });
  }

  /// Every signal counts exactly once, also when the case moves to another version in between.
  private Job migration(String caseId) {
    Term counting = task("count", c -> c.with("n", number(c, "n") + 1));
    Term.Task zero = set("n", Expression.constant(0));
    Term loop = repeatWhile(c -> number(c, "n") < 5, defer(on("s", counting)));
    WorkflowDefinition first =
        workflow("migration", zero, loop)
            .withAttributes(List.of(FactInvariant.attribute("count", "n")));
    WorkflowDefinition second =
        ProbeParts.named(workflow("migration", zero, loop, retried("A")), caseId)
            .withAttributes(List.of(FactInvariant.attribute("signals", "n")));
    List<Job.Event> outside = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      outside.add(signal(choices.next(20_000), "s"));
    }
    outside.add(new Job.Event(2_000 + choices.next(15_000), new Act.Migrate(second)));
    return probe(
        caseId,
        first,
        outside,
        (record, _, world) -> {
          boolean waits = record.status() == CaseStatus.WAITING;
          require(record, waits, "four signals must not count as five");
          once(record, world, "A", 0);
        });
  }
}
