package dev.damask.cli.cases;

import dev.damask.api.CaseOutcome;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.Lines;
import dev.damask.json.JsonWriter;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The status of a case, for people and for programs.
public record CaseReport(String name, CaseOutcome outcome, Map<String, @Nullable Object> context) {
  /// The statuses of a case that may have been stopped while it ran.
  private static final Set<String> STOPPED = Set.of("paused", "quarantined");

  /// Returns the report of a case of a server.
  ///
  /// @param summary the fields of [dev.damask.api.CaseSummary#json]
  public static CaseReport of(String name, Map<String, @Nullable Object> summary) {
    Map<String, @Nullable Object> more = Fields.object(summary, "more");
    Map<String, @Nullable Object> run = Fields.object(more, "run");
    // A case whose state cannot be read has no outcome.
    Map<String, @Nullable Object> stated = run.isEmpty() ? summary : run;
    CaseOutcome outcome =
        CaseOutcome.of(
            Fields.text(stated, "status"),
            stated.get("reason") instanceof String reason ? reason : null,
            Fields.text(run, "detail"),
            run.isEmpty() ? Fields.texts(more, "reasons") : Fields.texts(run, "lines"),
            Fields.whole(run, "steps"),
            (int) Fields.whole(run, "effects"),
            Fields.objects(summary, "lateFailures"));
    CaseReport report = new CaseReport(name, outcome, Fields.object(summary, "context"));
    return STOPPED.contains(Fields.text(summary, "status")) ? report.stopped() : report;
  }

  /// Returns the report of a case that does not move on: if it was paused while it ran, it waits.
  public CaseReport stopped() {
    return isRunning()
        ? new CaseReport(
            name,
            CaseOutcome.of(
                "waiting",
                outcome.reason(),
                outcome.detail(),
                outcome.lines(),
                outcome.steps(),
                outcome.effects(),
                outcome.late()),
            context)
        : this;
  }

  /// Returns whether the case moves on by itself.
  public boolean isRunning() {
    return outcome.status().equals("running");
  }

  public int exit() {
    return switch (outcome.status()) {
      case "completed" -> Exit.OK;
      case "failed" -> Exit.FAILED;
      case "cancelled" -> Exit.CANCELLED;
      case "running" -> throw new IllegalStateException("the case still runs");
      default -> Exit.WAITING;
    };
  }

  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> all =
        JsonWriter.object(
            "case", name,
            "status", outcome.status(),
            "reason", outcome.reason(),
            "context", context,
            "steps", outcome.steps(),
            "effects", outcome.effects());
    if (!outcome.detail().isEmpty()) {
      all.put("detail", outcome.detail());
    }
    if (!outcome.late().isEmpty()) {
      all.put("lateFailures", outcome.late());
    }
    return all;
  }

  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(name).append(": ").append(outcome.status());
    text.append(" (").append(counted(outcome.steps(), "step")).append(", ");
    text.append(counted(outcome.effects(), "effect")).append(")\n");
    outcome.lines().forEach(each -> text.append("  ").append(Lines.shown(each)).append('\n'));
    context.forEach((key, value) ->
        text.append("  ").append(key).append(": ").append(JsonWriter.line(value)).append('\n'));
    return text.toString();
  }

  private static String counted(long count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }
}
