package dev.damask.routes;

import dev.damask.api.CheckedDocument;
import dev.damask.api.Sources;
import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.compile.Compiler;
import dev.damask.document.DocumentReader;
import dev.damask.document.DocumentSource;
import dev.damask.history.HistoryPosition;
import dev.damask.history.PastState;
import dev.damask.json.JsonWriter;
import dev.damask.program.Program;
import dev.damask.term.Definition;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import dev.damask.verify.Counterexample;
import dev.damask.verify.CounterexampleReplay;
import dev.damask.verify.Options;
import dev.damask.verify.Property;
import dev.damask.verify.Verdict;
import dev.damask.verify.Verifier;
import dev.damask.verify.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Checks documents within a budget and reports what was found.
final class DocumentReport {
  private static final long MILLIS_MAX = 5_000;
  private static final long STATES_MAX = 300_000;
  private static final int STEPS_MAX = 100;
  private static final Options OPTIONS =
      Options.DEFAULT.withMillis(MILLIS_MAX).withStates(STATES_MAX);

  /// What was found.
  ///
  /// @param isFit whether the document may be stored
  record Result(boolean isFit, String sentence, Map<String, @Nullable Object> json) {}

  Result check(DocumentSource source) {
    WorkflowDefinition workflow = new DocumentReader().read(source).workflow();
    CheckedDocument checked = CheckedDocument.check(source, OPTIONS, types(workflow));
    if (checked.verdict().isEmpty()) {
      return invalid(checked.diagnostics());
    }
    return judged(
        new Judged(
            checked.document().workflow(),
            checked.program().orElseThrow(),
            checked.verdict().get(),
            checked.diagnostics(),
            path -> (long) checked.document().nearest(path).line()));
  }

  /// Checks a workflow that has no document.
  Result check(WorkflowDefinition workflow) {
    List<Diagnostic> found = TermCheck.check(workflow);
    if (found.stream().anyMatch(Diagnostic::isError)) {
      return invalid(found);
    }
    Program program = Compiler.compile(workflow, found, Diagnostic::isError);
    Verdict verdict = Verifier.check(program, OPTIONS);
    return judged(new Judged(workflow, program, verdict, found, _ -> null));
  }

  /// A workflow and its verdict.
  ///
  /// @param line returns the line of a path; null if there is no document
  private record Judged(
      WorkflowDefinition workflow,
      Program program,
      Verdict verdict,
      List<Diagnostic> diagnostics,
      Function<String, @Nullable Long> line) {}

  /// The effect types of a workflow: workers in other processes may perform any of them.
  private static Set<String> types(WorkflowDefinition workflow) {
    Set<String> types = new TreeSet<>();
    List<Term> bodies = new ArrayList<>(List.of(workflow.body()));
    workflow.definitions().stream().map(Definition::body).forEach(bodies::add);
    for (Term body : bodies) {
      TermWalker.walk(
          TermPath.BODY,
          body,
          (_, term) -> {
            if (term instanceof Term.Task task && task.work() instanceof Term.Work.Effect effect) {
              types.add(effect.template().type());
            }
          });
    }
    return types;
  }

  static Result invalid(List<Diagnostic> diagnostics) {
    String first =
        diagnostics.stream()
            .filter(Diagnostic::isError)
            .findFirst()
            .map(Diagnostic::message)
            .orElse("it is invalid");
    return new Result(
        false,
        first,
        JsonWriter.object(
            "verdict",
            "INVALID",
            "states",
            0L,
            "millis",
            0L,
            "findings",
            diagnostics.stream().map(DocumentReport::finding).toList(),
            "counterexample",
            null));
  }

  /// Returns a diagnostic as JSON.
  static Map<String, @Nullable Object> finding(Diagnostic diagnostic) {
    return JsonWriter.object(
        "severity", diagnostic.severity().name().toLowerCase(Locale.ROOT),
        "code", diagnostic.code(),
        "line", (long) diagnostic.line(),
        "column", (long) diagnostic.column(),
        "path", diagnostic.path(),
        "message", diagnostic.sentence(),
        "fix", diagnostic.remedy());
  }

  private static Result judged(Judged judged) {
    Verdict verdict = judged.verdict;
    List<Map<String, @Nullable Object>> findings = new ArrayList<>();
    judged.diagnostics.forEach(each -> findings.add(finding(each)));
    List<Violation> violations =
        verdict instanceof Verdict.Refuted refuted ? refuted.violations() : List.of();
    for (Violation each : violations) {
      Long line = judged.line.apply(each.where());
      findings.add(
          JsonWriter.object(
              "severity",
              "error",
              "code",
              "UNSOUND",
              "line",
              line,
              "column",
              1L,
              "path",
              each.where(),
              "message",
              each.property() + ": " + each.sentence(),
              "fix",
              ""));
    }
    Map<String, @Nullable Object> all =
        JsonWriter.object(
            "verdict", word(verdict),
            "states", verdict.statistics().states(),
            "millis", verdict.statistics().millis(),
            "scope", scope(verdict),
            "why", why(verdict),
            "properties", properties(verdict, violations),
            "findings", findings,
            "counterexample", violations.isEmpty() ? null : steps(judged, violations));
    String sentence =
        violations.isEmpty()
            ? ""
            : violations.getFirst().property() + ": " + violations.getFirst().sentence();
    return new Result(violations.isEmpty(), sentence, all);
  }

  private static String word(Verdict verdict) {
    return switch (verdict) {
      case Verdict.Proved _ -> "SOUND";
      case Verdict.Refuted _ -> "UNSOUND";
      case Verdict.Bounded _, Verdict.GaveUp _ -> "UNKNOWN";
    };
  }

  private static @Nullable String scope(Verdict verdict) {
    return switch (verdict) {
      case Verdict.Proved(var scope, _) -> scope.name();
      case Verdict.Refuted(_, var scope, _) -> scope.name();
      case Verdict.Bounded _, Verdict.GaveUp _ -> null;
    };
  }

  private static @Nullable String why(Verdict verdict) {
    return switch (verdict) {
      case Verdict.Bounded(var why, _) -> why;
      case Verdict.GaveUp(var why, _) -> why;
      case Verdict.Proved _, Verdict.Refuted _ -> null;
    };
  }

  private static List<Map<String, @Nullable Object>> properties(
      Verdict verdict, List<Violation> violations) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    for (Property each : Property.values()) {
      boolean isBroken = violations.stream().anyMatch(found -> found.property() == each);
      boolean isKnown = isBroken || verdict instanceof Verdict.Proved;
      all.add(
          JsonWriter.object("name", each.toString(), "holds", isKnown ? (Object) !isBroken : null));
    }
    return all;
  }

  /// The first counterexample, step by step, each with the state after it.
  private static List<Map<String, @Nullable Object>> steps(
      Judged judged, List<Violation> violations) {
    Program program = judged.program;
    Violation violation =
        violations.stream()
            .filter(each -> !each.counterexample().steps().isEmpty())
            .findFirst()
            .orElse(violations.getFirst());
    Counterexample trace = violation.counterexample();
    StateJson json = new StateJson(Sources.of(program.name(), judged.workflow, null));
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    for (int i = 0; i < trace.steps().size() && all.size() < STEPS_MAX; i++) {
      Counterexample.Step step = trace.steps().get(i);
      if (!step.isShown()) {
        continue;
      }
      Map<String, @Nullable Object> item =
          JsonWriter.object(
              "text", step.text(),
              "kind", step.kind().name().toLowerCase(Locale.ROOT),
              "subject", step.address(),
              "element", step.path(),
              "line", step.path().isEmpty() ? null : judged.line.apply(step.path()));
      item.put("state", state(json, program, trace, i + 1));
      all.add(item);
    }
    all.add(
        JsonWriter.object(
            "text", violation.sentence(),
            "kind", "end",
            "element", violation.where(),
            "line", violation.where().isEmpty() ? null : judged.line.apply(violation.where()),
            "details", trace.end(),
            "state", state(json, program, trace, trace.steps().size())));
    return all;
  }

  /// The state after some of the steps; null if they cannot be replayed alone.
  private static @Nullable Map<String, @Nullable Object> state(
      StateJson json, Program program, Counterexample trace, int count) {
    Counterexample part =
        new Counterexample(trace.steps().subList(0, count), List.of(), List.of(), "", true);
    try {
      CounterexampleReplay.End end = CounterexampleReplay.follow(program, OPTIONS, part, null);
      HistoryPosition position =
          new HistoryPosition(
              count, count, true, end.state().clock(), HistoryPosition.Cause.COMMIT, "");
      return json.of(PastState.of(position, end.state(), end.outcome()));
    } catch (IllegalStateException | CounterexampleReplay.OutOfTime e) {
      return null;
    }
  }
}
