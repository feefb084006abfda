package dev.damask.scenario;

import dev.damask.document.WorkflowDocument;
import dev.damask.value.Context;
import java.util.List;

/// A test of a workflow: external events and the expected observations after each.
///
/// @param with the caller's context
/// @param strict whether observations are compared as lists instead of multisets
public record ScenarioDocument(
    String name,
    String title,
    WorkflowDocument workflow,
    Context with,
    boolean strict,
    List<ScenarioStep> steps,
    ScenarioEnd end) {
  public ScenarioDocument {
    steps = List.copyOf(steps);
  }

  /// Returns whether its steps specify the choices of the case, instead of data and the scheduler.
  public boolean isGuided() {
    return steps.stream().anyMatch(step -> !step.choices().isEmpty());
  }
}
