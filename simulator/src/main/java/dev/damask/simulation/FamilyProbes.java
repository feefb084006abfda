package dev.damask.simulation;

import static dev.damask.simulation.ProbeParts.completed;
import static dev.damask.simulation.ProbeParts.once;
import static dev.damask.simulation.ProbeParts.probe;
import static dev.damask.simulation.ProbeParts.require;
import static dev.damask.simulation.ProbeParts.retried;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;

import dev.damask.event.Input;
import dev.damask.family.ChildCase;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Schedule;
import dev.damask.term.ScopeOptions;
import dev.damask.term.WorkflowDefinition;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/// Cases that start other cases, whose end is known whatever happens on the way.
final class FamilyProbes {
  static final int COUNT = 3;

  private static final int CHILDREN = 2;

  /// A colon and a time to the minute.
  private static final int TIME_LENGTH = ":2023-11-14T2213".length();

  private final Choices choices;
  private final Supplier<Simulation> current;

  /// @param current the run that the cases belong to
  FamilyProbes(Choices choices, Supplier<Simulation> current) {
    this.choices = choices;
    this.current = current;
  }

  Job make(String caseId, int number) {
    return switch (number) {
      case 0 -> family(caseId);
      case 1 -> cancelled(caseId);
      default -> scheduled(caseId);
    };
  }

  /// The ids of the cases that a case has started, also of those that were removed.
  private Set<String> children(String caseId) {
    Set<String> ids = new TreeSet<>(current.get().disk.ids(caseId + ":"));
    current.get().removed().stream().filter(id -> id.startsWith(caseId + ":")).forEach(ids::add);
    return ids;
  }

  /// Every task starts one child, whose effect happens once and whose end arrives once.
  private Job family(String caseId) {
    WorkflowDefinition child = ProbeParts.named(workflow("child", retried("one")), caseId);
    WorkflowDefinition flow =
        workflow(
            "family",
            instances("m", InstancePolicy.fixed(CHILDREN), ChildCase.task("run", child)),
            retried("A"));
    return probe(
        caseId,
        flow,
        List.of(),
        (record, _, world) -> {
          completed(record);
          once(record, world, "A", 1);
          Set<String> started = children(caseId);
          int effects = started.stream().mapToInt(each -> world.applied(each, "one")).sum();
          require(record, started.size() == CHILDREN, "started the children " + started);
          require(record, effects == CHILDREN, "the children did " + effects + " effects");
          current.get().count(CoveragePoint.CHILD_ENDED);
        });
  }

  /// Each time of a schedule starts one case, whatever the clock and the process do.
  private Job scheduled(String caseId) {
    WorkflowDefinition repeated = ProbeParts.named(workflow("repeated", retried("three")), caseId);
    // A client that repeats its request at another time puts a schedule of the same times.
    Schedule hourly = Schedule.cron("13 */2 * * *", ZoneOffset.UTC).overlap(Schedule.Overlap.ALLOW);
    Job.Event put = new Job.Event(choices.next(100), new Act.Repeat(hourly, repeated));
    return probe(
        caseId,
        workflow("scheduled", retried("A")),
        List.of(put),
        (record, _, world) -> {
          completed(record);
          Set<String> times = new TreeSet<>();
          for (String each : children(caseId)) {
            int happened = world.applied(each, "three");
            require(record, happened <= 1, each + " did " + happened + " effects");
            String time = each.substring(0, Math.min(each.length(), TIME_LENGTH + caseId.length()));
            require(record, times.add(time), "was started twice at " + time);
            current.get().count(CoveragePoint.SCHEDULE_FIRED);
          }
        });
  }

  /// A child ends with the parent that is cancelled, and what it did is undone.
  private Job cancelled(String caseId) {
    WorkflowDefinition child =
        ProbeParts.named(
            workflow(
                "waiting",
                scope(
                    "R",
                    ScopeOptions.undoing(),
                    retried("two").undo(retried("undo two")),
                    defer(on("s", skip())))),
            caseId);
    WorkflowDefinition flow = workflow("orphan", ChildCase.task("run", child), retried("A"));
    Job.Event kill = new Job.Event(choices.next(3_000), new Input.Kill("case", false));
    return probe(
        caseId,
        flow,
        List.of(kill),
        (record, _, world) -> {
          require(record, record.status() == CaseStatus.CANCELLED, "ended otherwise");
          once(record, world, "A", 0);
          for (String each : children(caseId)) {
            CaseStatus status =
                current.get().disk.record(each).map(CaseRecord::status).orElse(null);
            require(
                record,
                status == null || status == CaseStatus.CANCELLED,
                "its child " + each + " is " + status);
            int done = world.applied(each, "two");
            int undone = world.applied(each, "undo two");
            require(record, undone <= done, "undid " + undone + " of " + done);
            current.get().count(CoveragePoint.CHILD_CANCELLED);
          }
        });
  }
}
