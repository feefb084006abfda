package dev.damask.document;

import dev.damask.document.DocumentNode.Fields;
import dev.damask.document.DocumentNode.Items;
import java.nio.file.Path;

/// What a file seems to hold, told by the key it leads with.
public enum DocumentKind {
  WORKFLOW,
  SCENARIO,
  /// A scenario of a graph of an orchestration.
  GRAPH_SCENARIO,
  /// A list, as events are written.
  EVENTS,
  /// Anything else that can be read.
  OTHER;

  /// Looks at the outermost keys only; refuses what is no document at all.
  public static DocumentKind of(Path file) {
    return switch (DocumentTree.read(file, DocumentLimits.DEFAULT)) {
      case Fields fields when fields.fields().containsKey("scenario") ->
          fields.fields().containsKey("graph") ? GRAPH_SCENARIO : SCENARIO;
      case Fields fields when fields.fields().containsKey("workflow") -> WORKFLOW;
      case Items items -> EVENTS;
      default -> OTHER;
    };
  }
}
