package dev.damask.api;

import dev.damask.event.Failure;
import dev.damask.event.Outcome;
import dev.damask.exec.ExecState;
import dev.damask.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The status of a case. `damask run` prints it, whether the case runs in its own process or at a
/// server.
///
/// @param status in lower case
/// @param reason why it failed, was cancelled or does not continue; null if it has none
/// @param detail of a failure or a cancellation, such as the place of a join and the numbers of
///   branches it needs and has left
/// @param lines the lines that are printed after the status
/// @param effects the number of effects that were started
/// @param late the failures of leftovers after the case had its result
public record CaseOutcome(
    String status,
    @Nullable String reason,
    String detail,
    List<String> lines,
    long steps,
    int effects,
    List<Map<String, @Nullable Object>> late) {
  public CaseOutcome {
    lines = List.copyOf(lines);
    late = List.copyOf(late);
  }

  /// Returns an outcome that was read from an answer.
  public static CaseOutcome of(
      String status,
      @Nullable String reason,
      String detail,
      List<String> lines,
      long steps,
      int effects,
      List<Map<String, @Nullable Object>> late) {
    return new CaseOutcome(status, reason, detail, lines, steps, effects, late);
  }

  /// Returns the outcome of a case.
  ///
  /// @param evidence why it is quarantined; empty if it is not
  /// @param line returns the line of a part in the source; null if it has none
  @SuppressWarnings("exports") // the state is for our own modules
  public static CaseOutcome of(
      ExecState state,
      Outcome outcome,
      int effects,
      String evidence,
      Function<String, @Nullable Object> line) {
    boolean isQuarantined = !evidence.isEmpty();
    List<String> details = isQuarantined ? quarantined(evidence) : details(outcome, line);
    List<String> lines = new ArrayList<>(details);
    state.lateFailures().forEach(each -> failures(each, "late failure ", lines, line));
    String shown = details.isEmpty() ? null : String.join("; ", details);
    return new CaseOutcome(
        isQuarantined ? "quarantined" : state.status().name().toLowerCase(Locale.ROOT),
        isQuarantined ? shown : reason(outcome, shown),
        isQuarantined ? "" : detail(outcome),
        lines,
        state.steps(),
        effects,
        CaseSummary.lateFailures(state, text -> text));
  }

  /// Returns the fields.
  ///
  /// @param shown what may be shown of a text that may contain any value
  public Map<String, @Nullable Object> json(Function<String, Object> shown) {
    return JsonWriter.object(
        "status",
        status,
        "reason",
        reason == null ? null : shown.apply(reason),
        "detail",
        shown.apply(detail),
        "lines",
        lines.stream().map(shown).toList(),
        "steps",
        steps,
        "effects",
        (long) effects);
  }

  private static List<String> quarantined(String evidence) {
    List<String> lines = new ArrayList<>();
    evidence.lines().limit(1).forEach(lines::add);
    lines.add("inspect it with 'damask show', then release it with 'damask retry'");
    return lines;
  }

  private static @Nullable String reason(Outcome outcome, @Nullable String details) {
    return switch (outcome) {
      case Outcome.Failed(var failure) -> failure.reason();
      case Outcome.Cancelled(_, var why, _) when !why.isEmpty() -> why;
      default -> details;
    };
  }

  private static String detail(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Failed(var failure) -> failure.detail();
      case Outcome.Cancelled(_, _, var detail) -> detail;
      default -> "";
    };
  }

  private static List<String> details(Outcome outcome, Function<String, @Nullable Object> line) {
    List<String> lines = new ArrayList<>();
    switch (outcome) {
      case Outcome.Failed(var failure) -> failures(failure, "reason ", lines, line);
      case Outcome.Waits waits -> lines.add(waiting(waits));
      case Outcome.Deadlocked(var report) -> lines.addAll(report);
      case Outcome.Cancelled(var scope, var reason, var detail) -> {
        if (!reason.isEmpty()) {
          String more = detail.isEmpty() ? "" : ": " + detail;
          lines.add("cancelled " + scope + ", reason " + reason + more);
        }
      }
      case Outcome.Done _, Outcome.Yielded _ -> {}
    }
    return lines;
  }

  private static void failures(
      Failure failure, String word, List<String> lines, Function<String, @Nullable Object> line) {
    Object at = line.apply(failure.place());
    String shown = at == null ? "" : " (line " + at + ")";
    String task = failure.task().isEmpty() ? "" : ", task " + failure.task();
    String detail = failure.detail().isEmpty() ? "" : ": " + failure.detail();
    lines.add(word + failure.reason() + task + " at " + failure.place() + shown + detail);
    failure.attached().forEach(each -> failures(each, "then ", lines, line));
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
