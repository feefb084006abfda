package dev.damask.document;

import dev.damask.json.Json.Fields;
import dev.damask.json.Json.Items;
import java.nio.file.Path;

/// The kind of a document, determined by its leading key.
public enum DocumentKind {
  WORKFLOW,
  SCENARIO,
  /// A scenario of an orchestration graph.
  GRAPH_SCENARIO,
  /// A list of events.
  EVENTS,
  /// Any other valid YAML or JSON.
  OTHER;

  /// Reads and parses a file and returns its kind. Throws [DocumentProblem] if it is neither YAML
  /// nor JSON.
  public static DocumentKind of(Path file) {
    return of(DocumentSource.read(file));
  }

  /// Returns the kind of a document by its outermost keys.
  public static DocumentKind of(DocumentSource source) {
    return switch (source.root()) {
      case Fields fields when fields.entries().containsKey("scenario") ->
          fields.entries().containsKey("graph") || fields.entries().containsKey("graphs")
              ? GRAPH_SCENARIO
              : SCENARIO;
      case Fields fields when fields.entries().containsKey("workflow") -> WORKFLOW;
      case Items items -> EVENTS;
      default -> OTHER;
    };
  }
}
