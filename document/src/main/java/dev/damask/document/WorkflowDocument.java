package dev.damask.document;

import dev.damask.term.TermPath;
import dev.damask.term.Workflow;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A workflow as it was read: the workflow itself and what else the document says.
///
/// @param input checks the context a caller starts a case with
/// @param positions where every term stands, by the text of its path
public record WorkflowDocument(
    Workflow workflow,
    InputSchema input,
    List<Assertion> assertions,
    RunLimits runLimits,
    Map<String, Position> positions) {
  public WorkflowDocument {
    assertions = List.copyOf(assertions);
    positions = Map.copyOf(positions);
  }

  /// Where a term stands in the text.
  public Optional<Position> positionOf(TermPath path) {
    return Optional.ofNullable(positions.get(path.toString()));
  }
}
