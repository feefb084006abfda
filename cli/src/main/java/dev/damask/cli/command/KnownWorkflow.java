package dev.damask.cli.command;

import dev.damask.description.Description;
import dev.damask.document.LoadedDocument;
import dev.damask.program.Program;
import dev.damask.term.WorkflowDefinition;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A workflow by which a stored case can be read and drawn.
///
/// @param document null if the store has only a description, because the workflow is written in
///   Java
public record KnownWorkflow(
    WorkflowDefinition workflow, Program program, @Nullable LoadedDocument document) {
  /// The workflow of a document.
  public static KnownWorkflow of(LoadedDocument document) {
    return new KnownWorkflow(document.workflow(), document.program(), document);
  }

  /// The line of each part that is written in Java, by its path.
  public Map<String, String> lines() {
    return Description.lines(workflow);
  }
}
