package dev.damask.document;

import dev.damask.check.Diagnostic;
import dev.damask.json.Position;
import dev.damask.term.Schedule;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A workflow with the other parts of its document.
///
/// @param input checks the context that a caller starts a case with
/// @param output describes the context with which a case completes
/// @param payloads what signals may bring, by their place; places without an entry accept
///   everything
/// @param schedule when cases start by themselves; empty if they do not
/// @param positions the position of every term by the text of its path
public record WorkflowDocument(
    WorkflowDefinition workflow,
    InputSchema input,
    InputSchema output,
    Map<String, InputSchema> payloads,
    List<DocumentAssertion> assertions,
    RunLimits runLimits,
    Optional<DocumentSchedule> schedule,
    Map<String, Position> positions) {
  /// Creates a document without a schedule and without schemas of payloads.
  public WorkflowDocument(
      WorkflowDefinition workflow,
      InputSchema input,
      InputSchema output,
      List<DocumentAssertion> assertions,
      RunLimits runLimits,
      Map<String, Position> positions) {
    this(workflow, input, output, Map.of(), assertions, runLimits, Optional.empty(), positions);
  }

  public WorkflowDocument {
    payloads = Map.copyOf(payloads);
    assertions = List.copyOf(assertions);
    positions = Map.copyOf(positions);
  }

  /// Returns when cases start by themselves; null if they do not.
  public @Nullable Schedule timing() {
    return schedule.map(DocumentSchedule::schedule).orElse(null);
  }

  /// Returns what the result of each task must be that has a schema for it, by the name of the
  /// task. Tasks of one name with different schemas are left out.
  public Map<String, InputSchema> results() {
    Map<String, InputSchema> all = new TreeMap<>();
    List<Term> bodies = new ArrayList<>();
    bodies.add(workflow.body());
    workflow.definitions().forEach(each -> bodies.add(each.body()));
    for (Term body : bodies) {
      TermWalker.walk(
          TermPath.BODY,
          body,
          (_, term) -> {
            if (term instanceof Term.Task task
                && task.work() instanceof Term.Work.Effect(var template, _)
                && template instanceof TaskReader.DocumentEffect effect
                && effect.output() != InputSchema.NONE) {
              all.merge(
                  task.name(),
                  effect.output(),
                  (one, other) ->
                      Objects.equals(one.value(), other.value()) ? one : InputSchema.NONE);
            }
          });
    }
    all.values().removeIf(each -> each == InputSchema.NONE);
    return all;
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
