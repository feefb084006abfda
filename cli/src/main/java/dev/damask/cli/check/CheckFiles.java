package dev.damask.cli.check;

import dev.damask.check.Diagnostic;
import dev.damask.check.Nearest;
import dev.damask.check.TermCheck;
import dev.damask.cli.command.Refusal;
import dev.damask.compile.Compiler;
import dev.damask.document.DocumentAssertion;
import dev.damask.document.DocumentCheck;
import dev.damask.document.DocumentKind;
import dev.damask.document.DocumentProblem;
import dev.damask.document.DocumentReader;
import dev.damask.document.WorkflowDocument;
import dev.damask.event.Status;
import dev.damask.term.Definition;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.verify.Assertion;
import dev.damask.verify.Options;
import dev.damask.verify.Verifier;
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
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
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
      WorkflowDocument document = new DocumentReader().read(file);
      List<Diagnostic> found = TermCheck.check(document.workflow());
      List<Diagnostic> all = new ArrayList<>(found);
      all.addAll(DocumentCheck.check(document, types));
      mistakes.addAll(structure(file, document, all, warnings));
      mistakes.addAll(unknownTasks(file, document));
      if (mistakes.isEmpty()) {
        Options whole = options.withAssertions(assertions(document));
        var program = Compiler.compile(document.workflow(), found, Diagnostic::isError);
        return new Checked.Judged(
            file, document, new SourcePositions.Terms(document), Verifier.check(program, whole));
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
      // The reader of documents says what is wrong with the file.
      return false;
    }
    return false;
  }

  private static List<Checked.Mistake> structure(
      Path file,
      WorkflowDocument document,
      List<Diagnostic> diagnostics,
      Consumer<String> warnings) {
    List<Checked.Mistake> mistakes = new ArrayList<>();
    for (Diagnostic diagnostic : diagnostics) {
      String line = document.located(file.toString(), diagnostic).message();
      if (diagnostic.isError()) {
        mistakes.add(new Checked.Mistake(diagnostic.code(), line));
      } else {
        warnings.accept(line);
      }
    }
    return mistakes;
  }

  private static List<Assertion> assertions(WorkflowDocument document) {
    return document.assertions().stream().map(CheckFiles::assertion).toList();
  }

  private static Assertion assertion(DocumentAssertion assertion) {
    return switch (assertion) {
      case DocumentAssertion.NeverBefore(var task, var before) ->
          new Assertion.NeverBefore(task, before);
      case DocumentAssertion.AtMostOnce(var task) -> new Assertion.AtMostOnce(task);
      case DocumentAssertion.LeadsTo(var task, var then) -> new Assertion.LeadsTo(task, then);
      case DocumentAssertion.MayEnd(var statuses) ->
          new Assertion.MayEnd(
              statuses.stream()
                  .map(word -> Status.valueOf(word.toUpperCase(Locale.ROOT)))
                  .collect(Collectors.toSet()));
      case DocumentAssertion.NeverTogether(var task, var other) ->
          new Assertion.NeverTogether(task, other);
    };
  }

  /// An assertion about a task that does not exist would be proved for nothing.
  private static List<Checked.Mistake> unknownTasks(Path file, WorkflowDocument document) {
    Set<String> known = new TreeSet<>();
    tasks(document.workflow().body(), known);
    for (Definition each : document.workflow().definitions()) {
      tasks(each.body(), known);
    }
    List<Checked.Mistake> mistakes = new ArrayList<>();
    List<Assertion> all = assertions(document);
    for (int i = 0; i < all.size(); i++) {
      for (String task : all.get(i).tasks()) {
        if (!known.contains(task)) {
          String line =
              "%s: assert[%d]: no task '%s'; %s"
                  .formatted(file, i, task, Nearest.hint(task, known));
          mistakes.add(new Checked.Mistake("UNKNOWN_TASK", line));
        }
      }
    }
    return mistakes;
  }

  private static void tasks(Term body, Set<String> names) {
    TermWalker.walk(
        TermPath.BODY,
        body,
        (path, term) -> {
          if (term instanceof Term.Task task) {
            names.add(task.name());
          }
        });
  }
}
