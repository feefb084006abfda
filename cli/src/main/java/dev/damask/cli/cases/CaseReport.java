package dev.damask.cli.cases;

import dev.damask.api.CaseSummary;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Lines;
import dev.damask.document.WorkflowDocument;
import dev.damask.event.Failure;
import dev.damask.event.Outcome;
import dev.damask.exec.ExecState;
import dev.damask.json.JsonWriter;
import dev.damask.json.Position;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The status of a case, for people and for programs.
///
/// @param effects the number of effects that were started
/// @param evidence why it is quarantined; empty if it is not
public record CaseReport(
    String name,
    WorkflowDocument document,
    ExecState state,
    Outcome outcome,
    int effects,
    String evidence) {
  public int exit() {
    if (!evidence.isEmpty()) {
      return Exit.WAITING;
    }
    return switch (outcome) {
      case Outcome.Done done -> Exit.OK;
      case Outcome.Failed failed -> Exit.FAILED;
      case Outcome.Cancelled cancelled -> Exit.CANCELLED;
      case Outcome.Waits waits -> Exit.WAITING;
      case Outcome.Deadlocked deadlocked -> Exit.WAITING;
      case Outcome.Yielded yielded -> throw new IllegalStateException("the case still runs");
    };
  }

  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> all =
        JsonWriter.object(
            "case", name,
            "status", status(),
            "reason", reason(),
            "context", state.context().toMap(),
            "steps", state.steps(),
            "effects", effects);
    if (!detail().isEmpty()) {
      all.put("detail", detail());
    }
    if (!state.lateFailures().isEmpty()) {
      all.put("lateFailures", CaseSummary.lateFailures(state, text -> text));
    }
    return all;
  }

  private @Nullable String reason() {
    return switch (outcome) {
      case Outcome.Failed(var failure) when evidence.isEmpty() -> failure.reason();
      case Outcome.Cancelled(_, var why, _) when evidence.isEmpty() && !why.isEmpty() -> why;
      default -> details().isEmpty() ? null : String.join("; ", details());
    };
  }

  /// Returns the details of a failure or a cancellation, such as the place of a join and the
  /// numbers of branches it needs and has left.
  private String detail() {
    return switch (outcome) {
      case Outcome.Failed(var failure) when evidence.isEmpty() -> failure.detail();
      case Outcome.Cancelled(_, _, var detail) when evidence.isEmpty() -> detail;
      default -> "";
    };
  }

  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(name).append(": ").append(status());
    text.append(" (").append(counted(state.steps(), "step")).append(", ");
    text.append(counted(effects, "effect")).append(")\n");
    List<String> lines = details();
    state.lateFailures().forEach(failure -> failures(failure, "late failure ", lines));
    lines.forEach(line -> text.append("  ").append(Lines.shown(line)).append('\n'));
    Context context = state.context();
    context.forEach((key, value) ->
        text.append("  ").append(key).append(": ").append(JsonWriter.line(value)).append('\n'));
    return text.toString();
  }

  private static String counted(long count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  private String status() {
    return evidence.isEmpty() ? state.status().name().toLowerCase(Locale.ROOT) : "quarantined";
  }

  /// What a report contains beyond the status.
  private List<String> details() {
    List<String> lines = new ArrayList<>();
    if (!evidence.isEmpty()) {
      evidence.lines().limit(1).forEach(lines::add);
      lines.add("inspect it with 'damask show', then release it with 'damask retry'");
      return lines;
    }
    switch (outcome) {
      case Outcome.Failed(var failure) -> failures(failure, "reason ", lines);
      case Outcome.Waits waits -> lines.add(waiting(waits));
      case Outcome.Deadlocked(var report) -> lines.addAll(report);
      case Outcome.Cancelled(var scope, var reason, var detail) -> {
        if (!reason.isEmpty()) {
          String more = detail.isEmpty() ? "" : ": " + detail;
          lines.add("cancelled " + scope + ", reason " + reason + more);
        }
      }
      case Outcome.Done done -> {}
      case Outcome.Yielded yielded -> {}
    }
    return lines;
  }

  private void failures(Failure failure, String word, List<String> lines) {
    Position position = document.positions().get(failure.place());
    String line = position == null ? "" : " (line " + position.line() + ")";
    String task = failure.task().isEmpty() ? "" : ", task " + failure.task();
    String detail = failure.detail().isEmpty() ? "" : ": " + failure.detail();
    lines.add(word + failure.reason() + task + " at " + failure.place() + line + detail);
    failure.attached().forEach(each -> failures(each, "then ", lines));
  }

  private static String waiting(Outcome.Waits waits) {
    List<String> parts = new ArrayList<>();
    for (var request : waits.effects()) {
      parts.add("task " + CaseSummary.shown(request.address()));
    }
    waits.places().forEach(place -> parts.add("signal " + place));
    waits.sets().forEach(set -> parts.add("close of instance set " + set));
    return "waits for " + (parts.isEmpty() ? "an external event" : String.join(", ", parts));
  }
}
