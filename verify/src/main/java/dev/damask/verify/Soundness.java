package dev.damask.verify;

import dev.damask.program.Program;
import dev.damask.term.WorkflowDefinition;

/// Assertions for tests: a workflow that is not sound fails the test with a counterexample.
public final class Soundness {
  private Soundness() {}

  /// Throws `AssertionError` unless the workflow is sound.
  public static void assertSound(WorkflowDefinition workflow) {
    assertSound(workflow, Options.DEFAULT);
  }

  /// Throws `AssertionError` unless the workflow is sound under these options.
  public static void assertSound(WorkflowDefinition workflow, Options options) {
    requireProved(workflow.name(), Verifier.check(workflow, options));
  }

  /// Throws `AssertionError` unless the program is sound.
  public static void assertSound(Program program) {
    requireProved(program.name(), Verifier.check(program));
  }

  private static void requireProved(String name, Verdict verdict) {
    switch (verdict) {
      case Verdict.Proved proved -> {}
      case Verdict.Refuted(var violations, var scope, var statistics) -> {
        StringBuilder text = new StringBuilder("workflow " + name + " is not sound");
        violations.forEach(each -> text.append(System.lineSeparator()).append(each));
        throw new AssertionError(text.toString());
      }
      case Verdict.Bounded(var why, var statistics) ->
          throw new AssertionError("workflow " + name + ": soundness is unknown: " + why);
      case Verdict.GaveUp(var why, var statistics) ->
          throw new AssertionError("workflow " + name + ": soundness is unknown: " + why);
    }
  }
}
