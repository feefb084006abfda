package dev.damask.ops;

import dev.damask.program.Program;
import dev.damask.value.Bytes;
import java.util.Optional;

/// Compiles the document of a stored program again. The engine knows no document format: the
/// application that opens a store with documents passes the reader.
@FunctionalInterface
public interface SourceReader {
  /// Reads nothing: the programs of such an engine come from Java alone.
  SourceReader NONE = _ -> Optional.empty();

  /// Returns the program of a document; empty if this reader does not know the format.
  Optional<Program> read(Bytes source);
}
