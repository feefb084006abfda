package dev.damask.cli.sessions;

import dev.damask.api.SessionSummary;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.OwnerView;
import dev.damask.json.JsonWriter;
import dev.damask.session.SentWakeUp;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Prints a session: its status, its result, and its processes as a tree.
///
/// @param object the fields of [SessionSummary#of(SessionView)]
public record SessionReport(Map<String, @Nullable Object> object) {
  /// Creates the report of a session.
  public SessionReport(SessionView view) {
    this(OwnerView.plain(SessionSummary.of(view)));
  }

  public String text() {
    StringBuilder out = new StringBuilder();
    SessionKey key = SessionKey.of(Fields.text(object, "owner"), Fields.whole(object, "sessionId"));
    out.append("session ").append(key).append(": ").append(object.get("status"));
    out.append(Fields.flag(object, "paused") ? " (paused)" : "");
    if (object.get("cancellation") != null) {
      out.append(" (").append(object.get("cancellation")).append(')');
    }
    out.append('\n');
    if (object.get("failure") != null) {
      out.append("failure: ").append(object.get("failure")).append('\n');
    }
    List<Map<String, @Nullable Object>> processes = Fields.objects(object, "processes");
    long made = Fields.whole(object, "processesMade");
    if (made > processes.size()) {
      out.append(
          "  %d earlier processes: damask sessions --processes --session %d --last %d%n"
              .formatted(made - processes.size(), key.number(), made));
    }
    Set<String> shown = new HashSet<>();
    for (Map<String, @Nullable Object> each : processes) {
      shown.add(Fields.text(each, "pid"));
    }
    tree(out, processes, each -> !shown.contains(Fields.text(each, "parentPid")), 0);
    Fields.objects(object, "wakeUps").stream()
        .map(SessionReport::sent)
        .filter(SentWakeUp::isLost)
        .forEach(lost -> out.append(lost).append('\n'));
    Map<String, @Nullable Object> result = Fields.object(object, "result");
    if (!result.isEmpty()) {
      out.append("result: ").append(JsonWriter.line(result)).append('\n');
    }
    return out.toString();
  }

  private static SentWakeUp sent(Map<String, @Nullable Object> wakeUp) {
    return new SentWakeUp(
        Fields.whole(wakeUp, "iterationStep"),
        Fields.text(wakeUp, "step"),
        SessionKey.of(Fields.text(wakeUp, "runner"), Fields.whole(wakeUp, "sessionId")),
        Fields.text(wakeUp, "stepId"),
        Fields.whole(wakeUp, "woken"));
  }

  /// Each process below its parent. Loops make deep trees, so the depth that is shown has a limit.
  private void tree(
      StringBuilder out,
      List<Map<String, @Nullable Object>> all,
      Predicate<Map<String, @Nullable Object>> isChild,
      int depth) {
    for (Map<String, @Nullable Object> process : all) {
      if (isChild.test(process)) {
        out.append("  ".repeat(Math.min(depth, 40) + 1)).append(line(process)).append('\n');
        if (depth < 500) {
          String pid = Fields.text(process, "pid");
          tree(out, all, each -> pid.equals(each.get("parentPid")), depth + 1);
        }
      }
    }
  }

  private String line(Map<String, @Nullable Object> process) {
    List<String> words = new ArrayList<>();
    String step = Fields.text(process, "step");
    words.add(process.get("pid") + " " + step);
    words.add(Fields.text(process, "status"));
    if (process.get("valid") != null) {
      words.add(Fields.flag(process, "valid") ? "valid" : "invalid");
    }
    if (Fields.whole(process, "joinGroupId") != 0) {
      words.add("group " + process.get("joinGroupId"));
    }
    if (Fields.whole(process, "joinFromGroupId") != 0) {
      words.add(
          "waits for group %s got %s"
              .formatted(process.get("joinFromGroupId"), process.get("delivered")));
      words.add("of " + process.get("expected"));
    }
    Fields.object(process, "joinFail").forEach((each, why) -> words.add(each + " " + why));
    if (process.get("nextWakeAt") != null) {
      words.add("until " + process.get("nextWakeAt"));
    }
    List<String> lacking = Fields.texts(Fields.object(object, "missingSecrets"), step);
    if (Fields.text(process, "status").equals("running") && !lacking.isEmpty()) {
      words.add("waits for " + String.join(", ", lacking) + " to be provided again");
    }
    if (!Fields.text(process, "reason").isEmpty()) {
      words.add("(" + process.get("reason") + ")");
    }
    words.add("at " + process.get("updated"));
    return String.join(" ", words);
  }

  public String json() {
    return JsonWriter.line(object);
  }
}
