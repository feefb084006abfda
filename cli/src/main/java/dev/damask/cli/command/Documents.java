package dev.damask.cli.command;

import dev.damask.document.DocumentProblem;
import dev.damask.document.DocumentSource;
import dev.damask.document.LoadedDocument;
import dev.damask.exec.Machine;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import java.nio.file.Path;
import java.util.Optional;

/// Workflow documents on their way to programs.
public final class Documents {
  private Documents() {}

  /// Parses a file; empty if it is a graph document or a bundle.
  static Optional<DocumentSource> source(Path file) {
    try {
      DocumentSource source = DocumentSource.read(file);
      return GraphFiles.isGraph(file, source) ? Optional.empty() : Optional.of(source);
    } catch (DocumentProblem e) {
      // Graph documents have limits of their own.
      if (GraphFiles.isGraph(file)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /// Loads a workflow document; empty if the file is a graph document or a bundle.
  public static Optional<LoadedDocument> load(Path file) {
    return source(file).map(LoadedDocument::load);
  }

  /// A machine that reads stored states of a program.
  public static Machine machine(Program program) {
    return new Machine(
        program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
  }
}
