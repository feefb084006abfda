package dev.damask.cli;

import dev.damask.orchestration.ProcessInstance;
import dev.damask.orchestration.SessionView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Prints a session: its status, its result, and its processes as a tree.
record SessionReport(SessionView view) {
  String text() {
    StringBuilder out = new StringBuilder();
    out.append("session ").append(view.key()).append(": ").append(word(view.status()));
    out.append(view.paused() ? " (paused)" : "").append('\n');
    view.failure().ifPresent(why -> out.append("failure: ").append(why).append('\n'));
    tree(out, 0, 0);
    if (!view.result().isEmpty()) {
      out.append("result: ").append(Json.text(view.result())).append('\n');
    }
    return out.toString();
  }

  private static String word(Enum<?> constant) {
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
    words.add(view.key().number() + ":" + process.iteration() + " " + process.step());
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
    process.nextWakeAt().ifPresent(at -> words.add("until " + Instant.ofEpochMilli(at)));
    if (!process.reason().isEmpty()) {
      words.add("(" + process.reason() + ")");
    }
    return String.join(" ", words);
  }

  String json() {
    List<Object> processes = new ArrayList<>();
    for (ProcessInstance process : view.processes()) {
      processes.add(
          Json.object(
              "pid",
              view.key().number() + ":" + process.iteration(),
              "parent",
              process.parent(),
              "step",
              process.step(),
              "status",
              word(process.status()),
              "valid",
              process.valid().orElse(null),
              "group",
              (long) process.group(),
              "fromGroup",
              (long) process.fromGroup(),
              "expected",
              process.expected(),
              "delivered",
              process.delivered(),
              "joinFail",
              process.joinFail(),
              "reason",
              process.reason()));
    }
    return Json.text(
        Json.object(
            "owner",
            view.key().owner(),
            "sessionId",
            view.key().number(),
            "graph",
            view.graph(),
            "status",
            word(view.status()),
            "paused",
            view.paused(),
            "failure",
            view.failure().orElse(null),
            "result",
            view.result(),
            "processes",
            processes));
  }
}
