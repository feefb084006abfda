package dev.damask.cli.cases;

import dev.damask.cli.command.Fields;
import dev.damask.cli.command.Lines;
import dev.damask.json.JsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Everything that is known about a case, for people and for programs.
///
/// @param summary the fields of [dev.damask.api.CaseSummary#json]
record CasePicture(Map<String, @Nullable Object> summary) {
  String json() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(summary);
    all.remove("more");
    all.put("receipts", receipts().stream().map(ReceiptText::json).toList());
    return JsonWriter.line(all);
  }

  String text() {
    StringBuilder text = new StringBuilder();
    Map<String, @Nullable Object> more = Fields.object(summary, "more");
    long revision = Fields.whole(summary, "revision");
    long oldest = Fields.whole(summary, "oldestRevision");
    line(text, "%s: %s (revision %d)".formatted(field("case"), field("status"), revision));
    line(text, "  workflow " + field("workflow") + ", program " + field("program"));
    if (Fields.flag(more, "java")) {
      line(text, "  the workflow is written in Java; its code is not needed to inspect the case");
    }
    if (oldest < revision) {
      line(text, "  revisions from %d on are kept; see --revision".formatted(oldest));
    }
    line(text, "  started " + field("started"));
    if (summary.get("parent") != null) {
      String detached = Fields.flag(more, "parentDetached") ? ", detached" : "";
      String task = Fields.text(more, "parentTask");
      line(text, "  child of case %s, task %s%s".formatted(field("parent"), task, detached));
    }
    if (summary.get("due") != null) {
      line(text, "  next timer " + field("due"));
    }
    Fields.object(summary, "attributes")
        .forEach(
            (name, value) -> line(text, "  attribute " + name + ": " + JsonWriter.line(value)));
    Fields.object(more, "problems")
        .forEach((name, why) -> line(text, "  attribute " + name + " has no value: " + why));
    Fields.texts(more, "reasons").forEach(reason -> line(text, "  " + reason));
    Fields.texts(more, "late").forEach(failure -> line(text, "  late failure " + failure));
    sections(text, more);
    return text.toString();
  }

  private void sections(StringBuilder text, Map<String, @Nullable Object> more) {
    List<String> context = new ArrayList<>();
    Fields.object(summary, "context")
        .forEach((key, value) -> context.add(key + ": " + JsonWriter.line(value)));
    section(text, "context", context);
    section(text, "pending tasks", lines("tasks", CasePicture::task));
    section(text, "waits for signals", Fields.texts(summary, "places"));
    section(text, "open instance sets", Fields.texts(summary, "sets"));
    List<String> children = lines("children", CasePicture::child);
    if (Fields.flag(more, "moreChildren")) {
      children.add("and more");
    }
    section(text, "children", children);
    section(text, "tokens", tokens());
    section(text, "receipts", receipts().stream().map(ReceiptText::shown).toList());
    section(text, "trace", Fields.texts(summary, "trace"));
  }

  private List<Map<String, @Nullable Object>> receipts() {
    return Fields.objects(summary, "receipts");
  }

  private String field(String name) {
    return Fields.text(summary, name);
  }

  private List<String> lines(
      String name, java.util.function.Function<Map<String, @Nullable Object>, String> shown) {
    List<String> all = new ArrayList<>();
    for (Map<String, @Nullable Object> each : Fields.objects(summary, name)) {
      all.add(shown.apply(each));
    }
    return all;
  }

  private static String child(Map<String, @Nullable Object> child) {
    return "%s  %s, workflow %s, task %s%s"
        .formatted(
            child.get("case"),
            child.get("status"),
            child.get("workflow"),
            child.get("task"),
            Fields.flag(child, "detached") ? ", detached" : "");
  }

  private List<String> tokens() {
    Map<String, @Nullable Object> source = Fields.object(summary, "lines");
    List<String> lines = new ArrayList<>();
    Fields.object(summary, "tokens")
        .forEach((path, count) ->
            lines.add(
                count
                    + " at "
                    + path
                    + (source.containsKey(path) ? " (" + source.get(path) + ")" : "")));
    return lines;
  }

  private static String task(Map<String, @Nullable Object> task) {
    return "%s  %s, effect %s, attempt %s, key %s"
        .formatted(
            task.get("id"),
            task.get("task"),
            task.get("type"),
            task.get("attempt"),
            task.get("key"));
  }

  private static void section(StringBuilder text, String title, List<String> lines) {
    if (!lines.isEmpty()) {
      line(text, title + ":");
      lines.forEach(each -> line(text, "  " + each));
    }
  }

  private static void line(StringBuilder text, String line) {
    text.append(Lines.shown(line)).append('\n');
  }
}
