package dev.damask.cli.check;

import dev.damask.cli.command.Lines;
import dev.damask.cli.command.Streams;
import dev.damask.json.JsonWriter;
import dev.damask.json.Position;
import dev.damask.verify.Counterexample;
import dev.damask.verify.Verdict;
import dev.damask.verify.Verdict.Scope;
import dev.damask.verify.Verdict.Statistics;
import dev.damask.verify.Violation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Prints the result of a check as text, or as one JSON object per line.
final class CheckReport {
  private final Streams streams;

  CheckReport(Streams streams) {
    this.streams = streams;
  }

  void text(Checked checked) {
    switch (checked) {
      case Checked.Invalid(var file, var mistakes, var millis) -> {
        mistakes.forEach(each -> streams.err().println("error: " + Lines.oneLine(each.line())));
        streams.out().println(file + ": invalid");
      }
      case Checked.Judged(var file, _, var places, var verdict) -> {
        streams.out().println(file + ": " + sentence(verdict));
        for (Violation violation : violations(verdict)) {
          violation(file, places, violation);
        }
        Function<String, String> site = path -> where(file, places, path);
        for (String warning : EndingReport.warnings(verdict.endings(), site)) {
          streams.err().println("warning: " + Lines.oneLine(warning));
        }
        EndingReport.intended(verdict.endings(), path -> inLine(places, path)).forEach(this::line);
      }
    }
    streams.out().flush();
  }

  private static String sentence(Verdict verdict) {
    return switch (verdict) {
      case Verdict.Proved(var scope, var statistics) ->
          (scope == Scope.FULL
                  ? "sound"
                  : "sound in its control flow (every guard may be true or false)")
              + work(statistics);
      case Verdict.Refuted(var violations, var scope, var statistics) ->
          (scope == Scope.FULL ? "unsound" : "unsound if the data select these branches")
              + work(statistics);
      case Verdict.Bounded(var why, var statistics) -> "unknown: " + why + work(statistics);
      case Verdict.GaveUp(var why, var statistics) -> "unknown: " + why + work(statistics);
    };
  }

  private static String work(Statistics statistics) {
    return String.format(
        Locale.ROOT, "; %,d states in %,d ms", statistics.states(), statistics.millis());
  }

  private static List<Violation> violations(Verdict verdict) {
    return verdict instanceof Verdict.Refuted refuted ? refuted.violations() : List.of();
  }

  private void violation(Path file, SourcePositions places, Violation violation) {
    String where = where(file, places, violation.where());
    String at = where.isEmpty() ? "" : " at " + where;
    line("  violates '" + violation.property() + "'" + at + ": " + violation.sentence());
    Counterexample trace = violation.counterexample();
    for (Counterexample.Line each : trace.lines()) {
      String number = each.number() == 0 ? "…" : String.valueOf(each.number());
      line("%6s  %s%s".formatted(number, each.text(), inLine(places, each.path())));
    }
    trace.end().forEach(end -> line("    =>  " + end));
    if (!trace.isShortest()) {
      line("    (may not be the shortest counterexample; --reduction none finds it)");
    }
  }

  /// Prints a separate line, whatever names the user has given.
  private void line(String text) {
    String indent = text.substring(0, text.length() - text.stripLeading().length());
    streams.out().println(indent + Lines.oneLine(text));
  }

  private static String inLine(SourcePositions places, String path) {
    return position(places, path).map(found -> " (line " + found.line() + ")").orElse("");
  }

  private static Optional<Position> position(SourcePositions places, String path) {
    return path.isEmpty() ? Optional.empty() : places.position(path);
  }

  /// The place in the file and the path of the term or the step; in a net, the node.
  private static String where(Path file, SourcePositions places, String path) {
    String name = places.name(path);
    return position(places, path).map(found -> file + ":" + found + ": " + name).orElse(name);
  }

  void json(Checked checked) {
    Map<String, @Nullable Object> object =
        switch (checked) {
          case Checked.Invalid(var file, var mistakes, var millis) ->
              JsonWriter.object(
                  "file",
                  file.toString(),
                  "verdict",
                  "unknown",
                  "why",
                  "the document is invalid",
                  "violations",
                  mistakes.stream().map(CheckReport::mistake).toList(),
                  "states",
                  0L,
                  "millis",
                  millis);
          case Checked.Judged(var file, _, var places, var verdict) ->
              judged(file, places, verdict);
        };
    streams.out().println(JsonWriter.line(object));
    streams.out().flush();
  }

  private static Map<String, @Nullable Object> mistake(Checked.Mistake mistake) {
    String line = Lines.oneLine(mistake.line());
    return JsonWriter.object("property", mistake.code(), "where", line, "trace", List.of());
  }

  private static Map<String, @Nullable Object> judged(
      Path file, SourcePositions places, Verdict verdict) {
    Map<String, @Nullable Object> object =
        JsonWriter.object("file", file.toString(), "verdict", verdict.word());
    switch (verdict) {
      case Verdict.Proved(var scope, var statistics) -> object.put("scope", word(scope));
      case Verdict.Refuted refuted -> {}
      case Verdict.Bounded(var why, var statistics) -> object.put("why", why);
      case Verdict.GaveUp(var why, var statistics) -> object.put("why", why);
    }
    object.put(
        "violations",
        violations(verdict).stream()
            .map(each ->
                JsonWriter.object(
                    "property",
                    each.property().toString(),
                    "where",
                    where(file, places, each.where()),
                    "trace",
                    trace(places, each)))
            .toList());
    object.put("states", verdict.statistics().states());
    object.put("millis", verdict.statistics().millis());
    EndingReport.json(object, verdict.endings(), path -> where(file, places, path));
    return object;
  }

  private static String word(Scope scope) {
    return switch (scope) {
      case FULL -> "full";
      case CONTROL_FLOW -> "controlFlow";
    };
  }

  /// The steps that a reader needs, and after them the problem that they lead to.
  private static List<Object> trace(SourcePositions places, Violation violation) {
    List<Object> trace = new ArrayList<>();
    for (Counterexample.Step step : violation.counterexample().steps()) {
      if (!step.text().isEmpty()) {
        trace.add(step(places, step));
      }
    }
    trace.add(JsonWriter.object("kind", "end", "text", violation.sentence()));
    for (String end : violation.counterexample().end()) {
      trace.add(JsonWriter.object("kind", "end", "text", end));
    }
    return trace;
  }

  private static Map<String, @Nullable Object> step(
      SourcePositions places, Counterexample.Step step) {
    Map<String, @Nullable Object> object =
        JsonWriter.object("kind", step.kind().name().toLowerCase(Locale.ROOT), "text", step.text());
    if (!step.subject().isEmpty()) {
      object.put("subject", step.subject());
    }
    if (!step.label().isEmpty()) {
      object.put("instance", step.label());
    }
    position(places, step.path())
        .ifPresent(position -> {
          object.put("path", places.path(step.path()));
          object.put("line", (long) position.line());
        });
    return object;
  }
}
