package dev.damask.simulation;

import dev.damask.cases.CaseOptions;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.exec.Input;
import dev.damask.store.CaseRecord;
import dev.damask.task.Context;
import dev.damask.term.Workflow;
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
    Workflow workflow,
    CaseOptions options,
    List<Event> outside,
    Function<EffectCall, EffectResult> answers,
    Check check) {
  /// Whether it is there to kill the process.
  boolean isPoison() {
    return workflow.name().startsWith("poison");
  }

  /// One input from outside.
  record Event(long afterMillis, Input input) {}

  /// Throws a [Violation] when the end is wrong.
  interface Check {
    void look(CaseRecord record, Context result, World world);
  }
}
