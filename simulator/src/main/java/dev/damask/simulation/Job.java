package dev.damask.simulation;

import dev.damask.caller.CaseOptions;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.event.Input;
import dev.damask.family.ChildCase;
import dev.damask.store.CaseRecord;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// One case of a simulated run: what it executes, what callers do to it, and what must have come
/// out when everything has healed.
///
/// @param outside what happens from outside, at which time after the start
/// @param answers what the world answers to a call that does not fail
/// @param check checks the end of the case
record Job(
    String caseId,
    WorkflowDefinition workflow,
    CaseOptions options,
    List<Event> outside,
    Function<EffectCall, EffectResult> answers,
    Check check) {
  /// Whether it is there to kill the process.
  boolean isPoison() {
    return isPoison(workflow.name());
  }

  static boolean isPoison(String workflow) {
    return workflow.startsWith("poison");
  }

  /// Something that happens from outside.
  record Event(long afterMillis, Act act) {
    Event(long afterMillis, Input input) {
      this(afterMillis, new Act.Feed(input));
    }
  }

  /// Whether a case is this one or one that it has started.
  boolean isOf(String id) {
    return id.equals(caseId) || id.startsWith(caseId + ":");
  }

  /// The workflow that a case of this job starts with.
  WorkflowDefinition workflowOf(String id) {
    return id.equals(caseId) ? workflow : children().getFirst();
  }

  /// The workflows of the cases that it starts, itself or by a schedule.
  private List<WorkflowDefinition> children() {
    List<WorkflowDefinition> children = new ArrayList<>();
    for (Event event : outside) {
      if (event.act() instanceof Act.Repeat(_, var repeated)) {
        children.add(repeated);
      }
    }
    TermWalker.walk(
        TermPath.BODY,
        workflow.body(),
        (_, term) -> {
          if (term instanceof Term.Task task
              && task.work() instanceof Term.Work.Effect(_, ChildCase child)) {
            children.add(child.workflow().definition());
          }
        });
    return children;
  }

  /// Every version of its workflow, the one it starts with first, and those of its children.
  List<WorkflowDefinition> versions() {
    List<WorkflowDefinition> versions = new ArrayList<>(List.of(workflow));
    versions.addAll(children());
    for (Event event : outside) {
      if (event.act() instanceof Act.Migrate(var target) && !versions.contains(target)) {
        versions.add(target);
      }
    }
    return versions;
  }

  /// Throws a [InvariantViolation] when the end is wrong.
  interface Check {
    void look(CaseRecord record, Context result, SimulatedServices world);
  }
}
