package dev.damask.cli;

import dev.damask.check.Finding;
import dev.damask.check.TermCheck;
import dev.damask.document.DocumentProblem;
import dev.damask.document.WorkflowDocument;
import dev.damask.orchestration.Notice;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Says whether workflows are well formed. Only the structural part of a check runs so far, so a
/// document without mistakes is `unknown`, never `sound`.
@Command(
    name = "check",
    description = {
      "Looks for mistakes in workflow documents: names, joins, places, unreachable parts.",
      "The search for deadlocks and other unsound behaviour comes with verification;",
      "until then a document without mistakes has the verdict unknown."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:sound", "1:unsound", "2:invalid document", "3:unknown"})
final class CheckCommand implements Callable<Integer> {
  private static final String WHY =
      "only the structure was checked; the search for unsound behaviour comes with verification";

  private final Streams streams;

  @Parameters(paramLabel = "FILE", arity = "1..*", description = "Workflow documents.")
  private List<Path> files = List.of();

  @Option(names = "--json", description = "Prints one JSON object a file.")
  private boolean json;

  @Option(
      names = "--bound",
      paramLabel = "N",
      description = "How many states a search may visit (used once there is a search).")
  private long bound = 1_000_000;

  @Option(
      names = "--rules",
      paramLabel = "DIR",
      description = "The rules of a graph document, one KEY.json each.")
  private @Nullable Path rules;

  @Option(names = "--entry", paramLabel = "STEP", description = "The first step of a graph.")
  private @Nullable String entry;

  CheckCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    if (bound < 1) {
      throw new Refusal("--bound is at least 1, found " + bound);
    }
    boolean invalid = false;
    for (Path file : files) {
      invalid |= !isValid(file);
    }
    return invalid ? Exit.INVALID : Exit.UNKNOWN;
  }

  private boolean isValid(Path file) {
    long begin = System.nanoTime();
    List<Violation> violations = new ArrayList<>();
    boolean valid = true;
    try {
      if (GraphFiles.isGraph(file)) {
        for (Notice notice : GraphFiles.read(file, rules).check(entry, null)) {
          valid &= !notice.isError();
          violations.add(new Violation(notice.code(), file + ":" + notice, notice.isError()));
        }
        report(file, valid, violations, (System.nanoTime() - begin) / 1_000_000);
        return valid;
      }
      WorkflowDocument document = Documents.read(file);
      for (Finding finding : TermCheck.check(document.workflow())) {
        valid &= !finding.isError();
        String line = Documents.describe(file.toString(), document, finding);
        violations.add(new Violation(finding.code(), line, finding.isError()));
      }
    } catch (DocumentProblem problem) {
      valid = false;
      problem
          .findings()
          .forEach(found -> violations.add(new Violation("DOCUMENT", found.toString(), true)));
    }
    report(file, valid, violations, (System.nanoTime() - begin) / 1_000_000);
    return valid;
  }

  /// Something that was found.
  private record Violation(String property, String where, boolean isError) {
    Map<String, @Nullable Object> toJson() {
      return Json.object("property", property, "where", where, "trace", List.of());
    }
  }

  private void report(Path file, boolean valid, List<Violation> violations, long millis) {
    if (json) {
      String why = valid ? WHY : "the document is invalid";
      streams
          .out()
          .println(
              Json.text(
                  Json.object(
                      "file",
                      file.toString(),
                      "verdict",
                      "unknown",
                      "why",
                      why,
                      "violations",
                      violations.stream().map(Violation::toJson).toList(),
                      "states",
                      0L,
                      "millis",
                      millis)));
      return;
    }
    for (Violation violation : violations) {
      String word = violation.isError() ? "error" : "warning";
      streams.err().println("%s: %s".formatted(word, CommandTree.oneLine(violation.where())));
    }
    streams.out().println(file + ": " + (valid ? "unknown: " + WHY : "invalid"));
  }
}
