package dev.damask.cli.command;

import dev.damask.event.Choice;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.Seeded.Decision;
import dev.damask.task.RetryHint;
import dev.damask.trace.FormatFour;
import dev.damask.trace.Recording;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.StepResult;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Reads the files that [RecordingFile] writes, and reports the position of an error.
final class RecordingReader {
  private static final long FIRST_FORMAT = 2;

  private RecordingReader() {}

  static RecordingFile.Contents read(Path file, long format) {
    Object root = JsonFiles.read(file).plain();
    if (!(root instanceof Map<?, ?> fields) || !(fields.get("recording") instanceof Long found)) {
      throw new Refusal(file + ": not a recording; 'damask run --trace-out FILE' writes one");
    }
    if (found < FIRST_FORMAT || found > format) {
      throw new Refusal(
          "%s: unsupported recording format %d; supported are %d to %d"
              .formatted(file, found, FIRST_FORMAT, format));
    }
    try {
      return contents(fields, found > FIRST_FORMAT);
    } catch (IllegalArgumentException e) {
      throw new Refusal(file + ": corrupt recording: " + e.getMessage());
    }
  }

  /// @param isTimed whether every event has its time
  private static RecordingFile.Contents contents(Map<?, ?> fields, boolean isTimed) {
    Recording recording =
        new Recording(
            ProgramHash.parse(text(fields, "program")),
            context(fields, "context"),
            number(fields, "clock"),
            fields.containsKey("state")
                ? Bytes.of(Base64.getDecoder().decode(text(fields, "state")))
                : Bytes.of(),
            text(fields, "scheduler").equals("deterministic"),
            constant(TraceLevel.class, text(fields, "trace")),
            items(fields, "inputs").stream().map(RecordingReader::input).toList(),
            items(fields, "choices").stream().map(RecordingReader::decision).toList(),
            items(fields, "events").stream().map(item -> event(item, isTimed)).toList());
    return new RecordingFile.Contents(
        text(fields, "document"), text(fields, "text"), rules(fields), recording);
  }

  private static Map<String, String> rules(Map<?, ?> fields) {
    Map<String, String> rules = new TreeMap<>();
    if (fields.containsKey("rules")) {
      Map<?, ?> texts = require(Map.class, fields.get("rules"), "rules");
      texts.forEach((key, text) -> rules.put(String.valueOf(key), text(text, "rules")));
    }
    return rules;
  }

  private static Input input(@Nullable Object item) {
    Map<?, ?> fields = require(Map.class, item, "an input");
    if (fields.containsKey("done")) {
      return new Input.TaskDone(token(fields, "done"), context(fields, "set"));
    }
    if (fields.containsKey("wants")) {
      String key = fields.get("key") == null ? null : text(fields, "key");
      EffectSpec effect = new EffectSpec(text(fields, "type"), context(fields, "with"), key);
      return new Input.TaskWants(token(fields, "wants"), effect, context(fields, "set"));
    }
    if (fields.containsKey("fail")) {
      return new Input.TaskFailed(
          token(fields, "fail"), text(fields, "reason"), text(fields, "detail"), hint(fields));
    }
    if (fields.containsKey("park")) {
      return new Input.TaskParked(token(fields, "park"), text(fields, "reason"));
    }
    if (fields.containsKey("retry")) {
      return new Input.TaskRetried(token(fields, "retry"));
    }
    if (fields.containsKey("sent")) {
      boolean isSent = require(Boolean.class, fields.get("isSent"), "isSent");
      return new Input.TaskSent(token(fields, "sent"), isSent);
    }
    if (fields.containsKey("step")) {
      return new Input.ScriptStep(
          token(fields, "token"),
          Input.ScriptStep.Kind.valueOf(text(fields, "kind")),
          text(fields, "step"),
          text(fields, "detail"));
    }
    if (fields.containsKey("take")) {
      int position = token(fields, "position").number();
      return new Input.ScriptTake(token(fields, "token"), text(fields, "take"), position);
    }
    if (fields.containsKey("cancelTask")) {
      return new Input.CancelTask(token(fields, "cancelTask"));
    }
    if (fields.containsKey("signal")) {
      return new Input.Signal(text(fields, "signal"), context(fields, "set"));
    }
    if (fields.containsKey("kill")) {
      boolean complete = require(Boolean.class, fields.get("complete"), "complete");
      String reason = fields.containsKey("reason") ? text(fields, "reason") : "";
      return new Input.Kill(text(fields, "kill"), complete, reason);
    }
    if (fields.containsKey("change")) {
      return new Input.ChangeData(
          token(fields, "change"), context(fields, "set"), text(fields, "reason"));
    }
    if (fields.containsKey("failCase")) {
      return new Input.Fail(text(fields, "failCase"), text(fields, "detail"));
    }
    if (fields.containsKey("add")) {
      Object value = TaggedValues.read(fields.get("item"));
      return new Input.AddInstance(text(fields, "add"), value, fields.containsKey("item"));
    }
    return fields.containsKey("close")
        ? new Input.CloseInstances(text(fields, "close"))
        : new Input.Advance(number(fields, "advance"));
  }

  private static RetryHint hint(Map<?, ?> fields) {
    return fields.containsKey("permanent")
        ? new RetryHint(
            require(Boolean.class, fields.get("permanent"), "permanent"), number(fields, "after"))
        : RetryHint.NONE;
  }

  private static Decision decision(@Nullable Object item) {
    List<?> parts = parts(item, 3, "a choice");
    List<?> listed = require(List.class, parts.get(1), "options");
    List<Integer> options = listed.stream().map(option -> whole(option, "an option")).toList();
    Choice choice = new Choice(constant(Choice.Kind.class, text(parts.get(0), "kind")), options);
    return new Decision(choice, whole(parts.get(2), "taken"));
  }

  private static TraceEvent event(@Nullable Object item, boolean isTimed) {
    List<?> all = parts(item, isTimed ? 12 : 11, "an event");
    List<?> parts = isTimed ? all.subList(1, all.size()) : all;
    // Recordings contain the text of process events.
    return FormatFour.event(
        new TraceEvent(
            require(Long.class, all.get(0), "step"),
            isTimed ? require(Long.class, all.get(1), "time") : TraceEvent.NO_TIME,
            constant(TraceEvent.Kind.class, text(parts.get(1), "kind")),
            text(parts.get(2), "rule"),
            whole(parts.get(3), "token"),
            whole(parts.get(4), "before"),
            whole(parts.get(5), "after"),
            whole(parts.get(6), "scope"),
            text(parts.get(7), "subject"),
            text(parts.get(8), "label"),
            text(parts.get(9), "detail"),
            evaluation(parts.get(10))));
  }

  private static TraceEvent.@Nullable Evaluation evaluation(@Nullable Object item) {
    if (item == null) {
      return null;
    }
    Map<?, ?> fields = require(Map.class, item, "an evaluation");
    return new TraceEvent.Evaluation(
        context(fields, "payload"),
        require(Long.class, fields.get("cost"), "cost"),
        new StepResult.Note(
            text(fields.get("origin"), "origin"), text(fields.get("more"), "more")));
  }

  private static List<?> parts(@Nullable Object item, int size, String what) {
    List<?> parts = require(List.class, item, what);
    if (parts.size() != size) {
      throw new IllegalArgumentException(what + " has " + size + " parts, found " + parts.size());
    }
    return parts;
  }

  private static TokenId token(Map<?, ?> fields, String key) {
    return new TokenId(whole(fields.get(key), key));
  }

  private static Context context(Map<?, ?> fields, String key) {
    if (!(TaggedValues.read(fields.get(key)) instanceof Map<?, ?> entries)) {
      throw new IllegalArgumentException("'" + key + "' must be an object");
    }
    Context context = Context.empty();
    for (Map.Entry<?, ?> entry : entries.entrySet()) {
      context = context.with(String.valueOf(entry.getKey()), entry.getValue());
    }
    return context;
  }

  private static List<@Nullable Object> items(Map<?, ?> fields, String key) {
    @SuppressWarnings("unchecked") // JSON lists hold anything
    List<@Nullable Object> items = require(List.class, fields.get(key), key);
    return items;
  }

  private static String text(Map<?, ?> fields, String key) {
    return text(fields.get(key), key);
  }

  private static String text(@Nullable Object value, String what) {
    return require(String.class, value, what);
  }

  private static long number(Map<?, ?> fields, String key) {
    return require(Long.class, fields.get(key), key);
  }

  private static int whole(@Nullable Object value, String what) {
    long number = require(Long.class, value, what);
    if (number != (int) number) {
      throw new IllegalArgumentException("'" + what + "' is too large: " + number);
    }
    return (int) number;
  }

  private static <T extends Enum<T>> T constant(Class<T> type, String word) {
    for (T each : type.getEnumConstants()) {
      if (each.name().toLowerCase(Locale.ROOT).equals(word)) {
        return each;
      }
    }
    throw new IllegalArgumentException("unknown word '" + word + "'");
  }

  private static <T> T require(Class<T> type, @Nullable Object value, String what) {
    if (!type.isInstance(value)) {
      throw new IllegalArgumentException("'" + what + "' is missing or of the wrong type");
    }
    return type.cast(value);
  }
}
