package dev.damask.cli.sessions;

import dev.damask.cli.command.CaseWords;
import dev.damask.json.JsonWriter;
import dev.damask.session.ProcessInstance;
import dev.damask.session.SentWakeUp;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Prints a session: its status, its result, and its processes as a tree.
public record SessionReport(SessionView view) {
  public String text() {
    StringBuilder out = new StringBuilder();
    out.append("session ").append(view.key()).append(": ").append(word(view.status()));
    out.append(view.paused() ? " (paused)" : "");
    view.cancellation().ifPresent(why -> out.append(" (").append(why).append(')'));
    out.append('\n');
    view.failure().ifPresent(why -> out.append("failure: ").append(why).append('\n'));
    tree(out, 0, 0);
    view.wakeUps().stream()
        .filter(SentWakeUp::isLost)
        .forEach(lost -> out.append(lost).append('\n'));
    if (!view.result().isEmpty()) {
      out.append("result: ").append(JsonWriter.line(view.result())).append('\n');
    }
    return out.toString();
  }

  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /// Each process below its parent. Loops make deep trees, so the depth that is shown has a limit.
  private void tree(StringBuilder out, long parent, int depth) {
    for (ProcessInstance process : view.processes()) {
      if (process.parent() == parent) {
        out.append("  ".repeat(Math.min(depth, 40) + 1)).append(line(process)).append('\n');
        if (depth < 500) {
          tree(out, process.iteration(), depth + 1);
        }
      }
    }
  }

  private String line(ProcessInstance process) {
    List<String> words = new ArrayList<>();
    words.add(pid(view.key(), process.iteration()) + " " + process.step());
    words.add(word(process.status()));
    process.valid().ifPresent(valid -> words.add(valid ? "valid" : "invalid"));
    if (process.group() != 0) {
      words.add("group " + process.group());
    }
    if (process.fromGroup() != 0) {
      words.add("waits for group " + process.fromGroup() + " got " + process.delivered());
      words.add("of " + process.expected());
    }
    process.joinFail().forEach((step, why) -> words.add(step + " " + why));
    process.nextWakeAt().ifPresent(at -> words.add("until " + CaseWords.time(at)));
    List<String> lacking = view.lacking().getOrDefault(process.step(), List.of());
    if (process.status() == ProcessInstance.Status.RUNNING && !lacking.isEmpty()) {
      words.add("waits for " + String.join(", ", lacking) + " to be provided again");
    }
    if (!process.reason().isEmpty()) {
      words.add("(" + process.reason() + ")");
    }
    words.add("at " + CaseWords.time(process.updatedMillis()));
    return String.join(" ", words);
  }

  public String json() {
    return JsonWriter.line(object());
  }

  public Map<String, @Nullable Object> object() {
    List<Object> processes = new ArrayList<>();
    for (ProcessInstance process : view.processes()) {
      processes.add(json(view.key(), process));
    }
    Map<String, @Nullable Object> all = head(view);
    all.put("paused", view.paused());
    all.put("failure", view.failure().orElse(null));
    all.put("cancellation", view.cancellation().orElse(null));
    all.put("missingSecrets", view.lacking());
    all.put("cost", view.cost());
    all.put("result", view.result());
    all.put("processes", processes);
    all.put("wakeUps", view.wakeUps().stream().map(SessionReport::json).toList());
    return all;
  }

  private static Map<String, @Nullable Object> json(SentWakeUp wakeUp) {
    return JsonWriter.object(
        "step", wakeUp.step(),
        "iterationStep", wakeUp.iteration(),
        "runner", wakeUp.session().owner(),
        "sessionId", wakeUp.session().number(),
        "stepId", wakeUp.target(),
        "woken", wakeUp.woken());
  }

  /// A session without its processes.
  static Map<String, @Nullable Object> head(SessionView view) {
    return JsonWriter.object(
        "owner", view.key().owner(),
        "sessionId", view.key().number(),
        "ostcId", view.graph(),
        "ostcHash", view.graphHash(),
        "status", word(view.status()),
        "started", CaseWords.time(view.startedMillis()),
        "updated", CaseWords.time(view.updatedMillis()));
  }

  public static Map<String, @Nullable Object> json(SessionKey key, ProcessInstance process) {
    return JsonWriter.object(
        "pid", pid(key, process.iteration()),
        "parentPid", process.parent() == 0 ? null : pid(key, process.parent()),
        "iterationStep", process.iteration(),
        "step", process.step(),
        "status", word(process.status()),
        "valid", process.valid().orElse(null),
        "updated", CaseWords.time(process.updatedMillis()),
        "nextWakeAt", time(process.nextWakeAt()),
        "killedAt", time(process.killedAt()),
        "joinGroupId", (long) process.group(),
        "joinFromGroupId", (long) process.fromGroup(),
        "expected", process.expected(),
        "delivered", process.delivered(),
        "joinFail", process.joinFail(),
        "reason", process.reason());
  }

  static String pid(SessionKey key, long iteration) {
    return key.number() + ":" + iteration;
  }

  /// Null when there is none.
  static @Nullable String time(OptionalLong millis) {
    return millis.isPresent() ? CaseWords.time(millis.getAsLong()) : null;
  }
}
