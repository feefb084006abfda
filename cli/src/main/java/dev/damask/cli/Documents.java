package dev.damask.cli;

import dev.damask.check.Finding;
import dev.damask.check.TermCheck;
import dev.damask.compile.Compiler;
import dev.damask.document.DocumentReader;
import dev.damask.document.Position;
import dev.damask.document.WorkflowDocument;
import dev.damask.exec.Machine;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.term.TermPath;
import java.nio.file.Path;
import java.util.List;

/// Workflow documents on their way to programs.
final class Documents {
  private Documents() {}

  static WorkflowDocument read(Path file) {
    return new DocumentReader().read(file);
  }

  /// Compiles a document; a mistake is named with its line.
  static Program compile(String file, WorkflowDocument document) {
    List<Finding> errors =
        TermCheck.check(document.workflow()).stream().filter(Finding::isError).toList();
    if (!errors.isEmpty()) {
      int more = errors.size() - 1;
      String rest =
          more == 0 ? "" : " (and " + more + (more == 1 ? " more problem)" : " more problems)");
      throw new Refusal(describe(file, document, errors.getFirst()) + rest);
    }
    return Compiler.compile(document.workflow());
  }

  /// A machine that reads stored states of a program.
  static Machine machine(Program program) {
    return new Machine(
        program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
  }

  /// A finding as one line that editors and people can follow to its place.
  static String describe(String file, WorkflowDocument document, Finding finding) {
    String remedy = finding.remedy().isEmpty() ? "" : "; " + finding.remedy();
    return "%s:%s: %s: %s%s"
        .formatted(
            file, position(document, finding.place()), finding.place(), finding.sentence(), remedy);
  }

  /// Where a path stands, given as a text.
  static Position position(WorkflowDocument document, String path) {
    String at = path;
    while (!at.isEmpty()) {
      Position position = document.positions().get(at);
      if (position != null) {
        return position;
      }
      at = at.substring(0, Math.max(0, Math.max(at.lastIndexOf('.'), at.lastIndexOf('['))));
    }
    return new Position(1, 1);
  }

  /// Where a path stands, or the nearest term around it that was written down.
  static Position position(WorkflowDocument document, TermPath path) {
    for (TermPath each = path; each != null; each = each.parent()) {
      Position position = document.positions().get(each.toString());
      if (position != null) {
        return position;
      }
    }
    return new Position(1, 1);
  }
}
