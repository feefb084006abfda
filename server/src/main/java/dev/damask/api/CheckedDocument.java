package dev.damask.api;

import dev.damask.check.Diagnostic;
import dev.damask.check.Nearest;
import dev.damask.check.TermCheck;
import dev.damask.compile.Compiler;
import dev.damask.document.DocumentAssertion;
import dev.damask.document.DocumentCheck;
import dev.damask.document.DocumentReader;
import dev.damask.document.DocumentSource;
import dev.damask.document.WorkflowDocument;
import dev.damask.event.Status;
import dev.damask.program.Program;
import dev.damask.term.Definition;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.verify.Assertion;
import dev.damask.verify.Options;
import dev.damask.verify.Verdict;
import dev.damask.verify.Verifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// A workflow document and what its check has found.
///
/// @param diagnostics errors and warnings with their positions
/// @param program empty if there is an error
/// @param verdict empty if there is an error
public record CheckedDocument(
    WorkflowDocument document,
    List<Diagnostic> diagnostics,
    Optional<Program> program,
    Optional<Verdict> verdict) {
  public CheckedDocument {
    diagnostics = List.copyOf(diagnostics);
  }

  /// Checks a document: its structure, its data, its assertions, and every way its cases can go.
  /// Throws `DocumentProblem` if it cannot be read.
  ///
  /// @param types effect types that have handlers besides the built-in ones
  @SuppressWarnings("exports") // the options of checks are for our own modules
  public static CheckedDocument check(DocumentSource source, Options options, Set<String> types) {
    WorkflowDocument document = new DocumentReader().read(source);
    List<Diagnostic> found = TermCheck.check(document.workflow());
    List<Diagnostic> all = new ArrayList<>();
    found.forEach(each -> all.add(document.located(source.name(), each)));
    DocumentCheck.check(document, types)
        .forEach(each -> all.add(document.located(source.name(), each)));
    all.addAll(unknownTasks(source.name(), document));
    if (all.stream().anyMatch(Diagnostic::isError)) {
      return new CheckedDocument(document, all, Optional.empty(), Optional.empty());
    }
    Program program = Compiler.compile(document.workflow(), found, Diagnostic::isError);
    Verdict verdict = Verifier.check(program, options.withAssertions(assertions(document)));
    return new CheckedDocument(document, all, Optional.of(program), Optional.of(verdict));
  }

  private static List<Assertion> assertions(WorkflowDocument document) {
    return document.assertions().stream().map(CheckedDocument::assertion).toList();
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
  private static List<Diagnostic> unknownTasks(String source, WorkflowDocument document) {
    Set<String> known = new TreeSet<>();
    tasks(document.workflow().body(), known);
    for (Definition each : document.workflow().definitions()) {
      tasks(each.body(), known);
    }
    List<Diagnostic> mistakes = new ArrayList<>();
    List<Assertion> all = assertions(document);
    for (int i = 0; i < all.size(); i++) {
      for (String task : all.get(i).tasks()) {
        if (!known.contains(task)) {
          mistakes.add(
              new Diagnostic(
                  Diagnostic.Severity.ERROR,
                  "UNKNOWN_TASK",
                  source,
                  "assert[" + i + "]",
                  0,
                  0,
                  "no task '" + task + "'",
                  Nearest.hint(task, known)));
        }
      }
    }
    return mistakes;
  }

  private static void tasks(Term body, Set<String> names) {
    TermWalker.walk(
        TermPath.BODY,
        body,
        (_, term) -> {
          if (term instanceof Term.Task task) {
            names.add(task.name());
          }
        });
  }
}
