package dev.damask.cli;

import dev.damask.document.Position;
import dev.damask.document.WorkflowDocument;
import dev.damask.exec.ExecState;
import dev.damask.exec.Failure;
import dev.damask.exec.Outcome;
import dev.damask.task.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How a case stands, for people and for programs.
///
/// @param effects how many executions of tasks outside the machine were started
/// @param evidence why it was put aside; empty when it was not
record CaseReport(
    String name,
    WorkflowDocument document,
    ExecState state,
    Outcome outcome,
    int effects,
    String evidence) {
  /// A case in memory. There is one, so one name is enough.
  static CaseReport of(WorkflowDocument document, CaseDriver driver) {
    return new CaseReport(
        document.workflow().name() + "-1",
        document,
        driver.recorder().state(),
        driver.recorder().outcome(),
        driver.effects(),
        "");
  }

  int exit() {
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

  Map<String, @Nullable Object> json() {
    return Json.object(
        "case", name,
        "status", status(),
        "reason", reason(),
        "context", state.result().toMap(),
        "steps", state.steps(),
        "effects", effects);
  }

  private @Nullable String reason() {
    return outcome instanceof Outcome.Failed(var failure)
        ? failure.reason()
        : details().isEmpty() ? null : String.join("; ", details());
  }

  String text() {
    StringBuilder text = new StringBuilder();
    text.append(name).append(": ").append(status());
    text.append(" (").append(counted(state.steps(), "step")).append(", ");
    text.append(counted(effects, "effect")).append(")\n");
    details().forEach(line -> text.append("  ").append(CommandTree.shown(line)).append('\n'));
    Context context = state.result();
    context.forEach((key, value) ->
        text.append("  ").append(key).append(": ").append(Json.text(value)).append('\n'));
    return text.toString();
  }

  private static String counted(long count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  private String status() {
    return evidence.isEmpty() ? state.status().name().toLowerCase(Locale.ROOT) : "quarantined";
  }

  /// What there is to say beyond the status.
  private List<String> details() {
    List<String> lines = new ArrayList<>();
    if (!evidence.isEmpty()) {
      evidence.lines().limit(1).forEach(lines::add);
      lines.add("look at it with 'damask show', then release it with 'damask retry'");
      return lines;
    }
    switch (outcome) {
      case Outcome.Failed(var failure) -> failures(failure, "reason ", lines);
      case Outcome.Waits waits -> lines.add(waiting(waits));
      case Outcome.Deadlocked(var report) -> lines.addAll(report);
      case Outcome.Cancelled cancelled -> {}
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
      String label = request.label().isEmpty() ? "" : "[" + request.label() + "]";
      parts.add("task " + request.task().name() + label);
    }
    waits.places().forEach(place -> parts.add("signal " + place));
    return "waits for " + (parts.isEmpty() ? "an event from outside" : String.join(", ", parts));
  }
}
