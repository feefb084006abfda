package dev.damask.cli.check;

import dev.damask.cli.command.Exit;
import dev.damask.document.WorkflowDocument;
import dev.damask.verify.Verdict;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What became of the check of one file.
sealed interface Checked {
  Path file();

  /// The file cannot be checked.
  ///
  /// @param mistakes one line each
  record Invalid(Path file, List<Mistake> mistakes, long millis) implements Checked {}

  /// A mistake, by the code of the rule it breaks.
  record Mistake(String code, String line) {}

  /// A verdict.
  ///
  /// @param document null for a net or a graph
  /// @param places where things stand in the file
  record Judged(
      Path file, @Nullable WorkflowDocument document, SourcePositions places, Verdict verdict)
      implements Checked {}

  default int exit() {
    return switch (this) {
      case Invalid invalid -> Exit.INVALID;
      case Judged(var file, var document, var places, var verdict) -> verdict.exitCode();
    };
  }
}
