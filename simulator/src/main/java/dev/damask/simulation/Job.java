package dev.damask.simulation;

import dev.damask.caller.CaseOptions;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.event.Input;
import dev.damask.store.CaseRecord;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// One case of a simulated run: what it executes, what the outside does to it, and what must have
/// come out when everything has healed.
///
/// @param outside what happens from outside, at which time after the start
/// @param answers what the world answers to a call that does not fail
/// @param check looks at the end of the case
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

  /// Every version of its workflow, the one it starts with first.
  List<WorkflowDefinition> versions() {
    List<WorkflowDefinition> versions = new ArrayList<>(List.of(workflow));
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
