package dev.damask.document;

import dev.damask.check.Diagnostic;
import dev.damask.json.Position;
import dev.damask.term.Schedule;
import dev.damask.term.TermPath;
import dev.damask.term.WorkflowDefinition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A workflow with the other parts of its document.
///
/// @param input checks the context that a caller starts a case with
/// @param output describes the context with which a case completes
/// @param schedule when cases start by themselves; empty if they do not
/// @param positions the position of every term by the text of its path
public record WorkflowDocument(
    WorkflowDefinition workflow,
    InputSchema input,
    InputSchema output,
    List<DocumentAssertion> assertions,
    RunLimits runLimits,
    Optional<DocumentSchedule> schedule,
    Map<String, Position> positions) {
  /// Creates a document without a schedule.
  public WorkflowDocument(
      WorkflowDefinition workflow,
      InputSchema input,
      InputSchema output,
      List<DocumentAssertion> assertions,
      RunLimits runLimits,
      Map<String, Position> positions) {
    this(workflow, input, output, assertions, runLimits, Optional.empty(), positions);
  }

  public WorkflowDocument {
    assertions = List.copyOf(assertions);
    positions = Map.copyOf(positions);
  }

  /// Returns when cases start by themselves; null if they do not.
  public @Nullable Schedule timing() {
    return schedule.map(DocumentSchedule::schedule).orElse(null);
  }

  /// Returns the position of a term, or of the nearest enclosing term that is in the text.
  public Position nearest(String path) {
    String at = path;
    while (!at.isEmpty()) {
      Position position = positions.get(at);
      if (position != null) {
        return position;
      }
      at = at.substring(0, Math.max(0, Math.max(at.lastIndexOf('.'), at.lastIndexOf('['))));
    }
    return Position.START;
  }

  /// Returns a diagnostic of the structural check with its position.
  ///
  /// @param source the name of the document
  public Diagnostic located(String source, Diagnostic diagnostic) {
    Position at = nearest(diagnostic.path());
    return diagnostic.in(source, diagnostic.path()).at(at.line(), at.column());
  }

  /// Returns the position of a term in the text.
  public Optional<Position> positionOf(TermPath path) {
    return Optional.ofNullable(positions.get(path.toString()));
  }
}
