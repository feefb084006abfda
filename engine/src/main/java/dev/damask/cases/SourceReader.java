package dev.damask.cases;

import dev.damask.task.Bytes;
import dev.damask.term.Workflow;
import java.util.Optional;

/// Reads the document a program was compiled from. The engine knows no document format; whoever
/// opens it on stores with documents brings the reader.
@FunctionalInterface
public interface SourceReader {
  /// Reads nothing: the programs of such an engine come from Java alone.
  SourceReader NONE = _ -> Optional.empty();

  /// The workflow of a document; empty when this reader does not know the format.
  Optional<Workflow> read(Bytes source);
}
