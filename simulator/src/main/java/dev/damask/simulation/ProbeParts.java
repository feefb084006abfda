package dev.damask.simulation;

import static dev.damask.term.Flow.effect;

import dev.damask.caller.CaseOptions;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.event.Input;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.task.Retry;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// What probes are made of, and what is said about their ends.
final class ProbeParts {
  private static final Retry ALWAYS = new Retry(1_000, Duration.ofMillis(10), 1.0, 0.0);

  private ProbeParts() {}

  static Job probe(
      String caseId, WorkflowDefinition flow, List<Job.Event> outside, Job.Check check) {
    return new Job(
        caseId, named(flow, caseId), CaseOptions.DEFAULT, outside, ProbeParts::answer, check);
  }

  static WorkflowDefinition named(WorkflowDefinition flow, String caseId) {
    return flow.withName(flow.name() + "-" + caseId);
  }

  private static EffectResult answer(EffectCall call) {
    return new EffectResult.Ok(
        switch (call.task()) {
          case "one" -> Context.of("v", 1);
          case "two" -> Context.of("v", 2);
          case "three" -> Context.of("v", 3);
          case EffectProbes.PAY -> Context.of("paid", call.id().lineage());
          default -> Context.empty();
        });
  }

  static Job.Event signal(long after, String place) {
    return new Job.Event(after, new Input.Signal(place, Context.empty()));
  }

  static Term.Task retried(String name) {
    return retried(effect(name));
  }

  static Term.Task retried(Term.Task task) {
    return task.retry(ALWAYS);
  }

  static long number(Context context, String key) {
    return context.get(key) instanceof Long number ? number : 0;
  }

  /// The case completes, and each effect was performed so many times.
  static Job.Check completes(Map<String, Integer> performed) {
    return (record, _, world) -> {
      completed(record);
      performed.forEach((task, times) -> once(record, world, task, times));
    };
  }

  static void completed(CaseRecord record) {
    require(record, record.status() == CaseStatus.COMPLETED, "did not complete");
  }

  static void once(CaseRecord record, SimulatedServices world, String task, int times) {
    int happened = world.applied(record.caseId(), task);
    require(record, happened == times, task + " happened " + happened + " times, not " + times);
  }

  static void require(CaseRecord record, boolean holds, String what) {
    Invariants.require("the probe " + record.workflow(), holds, record, what);
  }
}
