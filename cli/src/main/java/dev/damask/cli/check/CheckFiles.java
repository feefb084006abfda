package dev.damask.cli.check;

import dev.damask.api.CheckedDocument;
import dev.damask.check.Diagnostic;
import dev.damask.cli.command.Refusal;
import dev.damask.document.DocumentKind;
import dev.damask.document.DocumentProblem;
import dev.damask.document.DocumentSource;
import dev.damask.document.WorkflowDocument;
import dev.damask.verify.Options;
import dev.damask.verify.pnml.PnmlProblem;
import dev.damask.verify.pnml.PnmlReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// Files that can be checked, and the check of one.
final class CheckFiles {
  /// How far into a file the first letter of a net may stand.
  private static final int HEAD_BYTES = 1_024;

  private CheckFiles() {}

  /// The files named, and those below the directories named.
  static List<Path> files(List<Path> paths) {
    List<Path> files = new ArrayList<>();
    for (Path path : paths) {
      if (Files.isDirectory(path)) {
        files.addAll(below(path));
      } else {
        files.add(path);
      }
    }
    if (files.isEmpty()) {
      throw new Refusal(
          "no workflow and no net found in "
              + String.join(", ", paths.stream().map(Path::toString).toList())
              + "; a workflow is a document with the key 'workflow', a net is a *.pnml file");
    }
    return files;
  }

  private static List<Path> below(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .filter(CheckFiles::isWorkflowOrNet)
          .sorted()
          .toList();
    } catch (IOException | UncheckedIOException e) {
      throw new Refusal(folder + ": cannot be listed: " + e.getMessage());
    }
  }

  private static boolean isWorkflowOrNet(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(".pnml")) {
      return true;
    }
    try {
      return (name.endsWith(".json") || name.endsWith(".yaml") || name.endsWith(".yml"))
          && DocumentKind.of(file) == DocumentKind.WORKFLOW;
    } catch (DocumentProblem problem) {
      return false;
    }
  }

  /// Checks one file and passes its warnings to the consumer.
  ///
  /// @param types effect types that have handlers besides the built-in ones
  static Checked check(Path file, Options options, Set<String> types, Consumer<String> warnings) {
    long begin = System.nanoTime();
    List<Checked.Mistake> mistakes = new ArrayList<>();
    try {
      if (isNet(file)) {
        return NetFiles.check(file, PnmlReader.readAll(file), options);
      }
      CheckedDocument checked = CheckedDocument.check(DocumentSource.read(file), options, types);
      for (Diagnostic each : checked.diagnostics()) {
        if (each.isError()) {
          mistakes.add(new Checked.Mistake(each.code(), each.message()));
        } else {
          warnings.accept(each.message());
        }
      }
      if (checked.verdict().isPresent()) {
        WorkflowDocument document = checked.document();
        return new Checked.Judged(
            file, document, new SourcePositions.Terms(document), checked.verdict().get());
      }
    } catch (DocumentProblem problem) {
      problem
          .diagnostics()
          .forEach(each -> mistakes.add(new Checked.Mistake(each.code(), each.message())));
    } catch (PnmlProblem problem) {
      mistakes.add(new Checked.Mistake("NET", String.valueOf(problem.getMessage())));
    }
    return new Checked.Invalid(file, mistakes, (System.nanoTime() - begin) / 1_000_000);
  }

  /// A net is XML, and no document begins like that.
  static boolean isNet(Path file) {
    if (file.toString().toLowerCase(Locale.ROOT).endsWith(".pnml")) {
      return true;
    }
    try (InputStream in = Files.newInputStream(file)) {
      for (byte each : in.readNBytes(HEAD_BYTES)) {
        // The three bytes of a byte order mark are negative.
        if (each > ' ') {
          return each == '<';
        }
      }
    } catch (IOException e) {
      // The reader of documents reports what is wrong with the file.
      return false;
    }
    return false;
  }
}
