package dev.damask.document;

import dev.damask.task.Context;
import java.util.List;

/// A test of a workflow: events from outside and what must be seen after each.
///
/// @param with the caller's context
/// @param strict whether observations are compared as lists and not as multisets
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

  /// Whether its steps say which way the case goes, instead of data and the scheduler.
  public boolean isGuided() {
    return steps.stream().anyMatch(step -> !step.choices().isEmpty());
  }
}
