package dev.damask.cli.command;

import dev.damask.event.Choice;
import dev.damask.event.Input;
import dev.damask.event.TraceEvent;
import dev.damask.json.JsonWriter;
import dev.damask.schedule.Seeded.Decision;
import dev.damask.task.RetryHint;
import dev.damask.trace.Recording;
import dev.damask.value.Bytes;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A recording as a JSON file, with the document inside, and the rules of a graph document, so that
/// the file is enough to repeat the run anywhere. One input, choice or event is on a line of its
/// own.
public final class RecordingFile {
  /// Format 2 has no times and fewer events, format 3 no state that the recording begins with.
  private static final long FORMAT = 4;

  private static final long WITHOUT_STATE = 3;

  private RecordingFile() {}

  /// What the file holds.
  ///
  /// @param rules of a graph document, by key
  public record Contents(
      String documentName, String documentText, Map<String, String> rules, Recording recording) {}

  /// Writes a recording and the document that was executed.
  ///
  /// @param text the bytes of the document that was compiled
  public static void write(Path file, Path document, Bytes text, Recording recording) {
    String name = String.valueOf(document.getFileName());
    String decoded = new String(text.toArray(), StandardCharsets.UTF_8);
    write(file, new Contents(name, decoded, Map.of(), recording));
  }

  public static void write(Path file, Contents contents) {
    Recording recording = contents.recording();
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write("{\"recording\": " + (recording.isResumed() ? FORMAT : WITHOUT_STATE));
      field(out, "document", contents.documentName());
      field(out, "text", contents.documentText());
      if (!contents.rules().isEmpty()) {
        field(out, "rules", contents.rules());
      }
      field(out, "program", recording.program().toString());
      field(out, "context", TaggedValues.write(recording.context().toMap()));
      field(out, "clock", recording.clockMillis());
      if (recording.isResumed()) {
        field(out, "state", Base64.getEncoder().encodeToString(recording.state().toArray()));
      }
      field(out, "scheduler", recording.inOrder() ? "deterministic" : "choices");
      field(out, "trace", word(recording.level()));
      lines(out, "inputs", recording.inputs(), RecordingFile::input);
      lines(out, "choices", recording.choices(), RecordingFile::choice);
      lines(out, "events", recording.events(), RecordingFile::event);
      out.write("}\n");
    } catch (IOException e) {
      throw new Refusal(file + ": the recording cannot be written: " + why(file, e));
    }
  }

  /// Why a file could not be written.
  public static String why(Path file, IOException problem) {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file)) {
      return "it is a directory";
    }
    if (problem instanceof AccessDeniedException) {
      return "access denied";
    }
    return folder != null && !Files.isDirectory(folder)
        ? "the directory " + folder + " does not exist"
        : String.valueOf(problem.getMessage());
  }

  /// Why a file cannot be read, as the end of a sentence that begins with its name.
  public static String unreadable(Path file, IOException problem) {
    if (Files.isDirectory(file)) {
      return "the file is a directory";
    }
    return switch (problem) {
      case NoSuchFileException _ -> "the file does not exist";
      case AccessDeniedException _ -> "the file cannot be read: access denied";
      default -> "the file cannot be read";
    };
  }

  private static void field(BufferedWriter out, String key, @Nullable Object value)
      throws IOException {
    out.write(",\n\"" + key + "\": " + JsonWriter.line(value));
  }

  private static <T> void lines(
      BufferedWriter out, String key, List<T> items, Function<T, Object> line) throws IOException {
    out.write(",\n\"" + key + "\": [");
    for (int i = 0; i < items.size(); i++) {
      out.write(i == 0 ? "\n" : ",\n");
      out.write(JsonWriter.line(line.apply(items.get(i))));
    }
    out.write("]");
  }

  private static Object input(Input input) {
    return switch (input) {
      case Input.TaskDone(var token, var result) ->
          JsonWriter.object("done", token.number(), "set", TaggedValues.write(result.toMap()));
      case Input.TaskWants(var token, var effect, var resume) ->
          JsonWriter.object(
              "wants", token.number(),
              "type", effect.type(),
              "key", effect.key(),
              "with", TaggedValues.write(effect.with().toMap()),
              "set", TaggedValues.write(resume.toMap()));
      case Input.TaskFailed failed -> failed(failed);
      case Input.ScriptStep(var token, var kind, var name, var detail) ->
          JsonWriter.object(
              "step", name, "token", token.number(), "kind", kind.name(), "detail", detail);
      case Input.ScriptTake(var token, var place, var position) ->
          JsonWriter.object("take", place, "token", token.number(), "position", position);
      case Input.TaskParked(var token, var reason) ->
          JsonWriter.object("park", token.number(), "reason", reason);
      case Input.TaskRetried(var token) -> JsonWriter.object("retry", token.number());
      case Input.TaskSent(var token, var isSent) ->
          JsonWriter.object("sent", token.number(), "isSent", isSent);
      case Input.CancelTask(var token) -> JsonWriter.object("cancelTask", token.number());
      case Input.Signal(var place, var payload) ->
          JsonWriter.object("signal", place, "set", TaggedValues.write(payload.toMap()));
      case Input.Kill(var name, var complete, var reason) ->
          reason.isEmpty()
              ? JsonWriter.object("kill", name, "complete", complete)
              : JsonWriter.object("kill", name, "complete", complete, "reason", reason);
      case Input.ChangeData(var token, var values, var reason) ->
          JsonWriter.object(
              "change", token.number(),
              "set", TaggedValues.write(values.toMap()),
              "reason", reason);
      case Input.Fail(var reason, var detail) ->
          JsonWriter.object("failCase", reason, "detail", detail);
      case Input.AddInstance(var name, var item, var hasItem) ->
          hasItem
              ? JsonWriter.object("add", name, "item", TaggedValues.write(item))
              : JsonWriter.object("add", name);
      case Input.CloseInstances(var name) -> JsonWriter.object("close", name);
      case Input.Advance(var millis) -> JsonWriter.object("advance", millis);
    };
  }

  /// Hints are written only where there are some: older files have none.
  private static Object failed(Input.TaskFailed failed) {
    RetryHint hint = failed.hint();
    int token = failed.token().number();
    return hint.equals(RetryHint.NONE)
        ? JsonWriter.object("fail", token, "reason", failed.reason(), "detail", failed.detail())
        : JsonWriter.object(
            "fail", token,
            "reason", failed.reason(),
            "detail", failed.detail(),
            "permanent", hint.isPermanent(),
            "after", hint.afterMillis());
  }

  private static Object choice(Decision decision) {
    Choice choice = decision.choice();
    return List.of(word(choice.kind()), choice.options(), decision.taken());
  }

  private static Object event(TraceEvent event) {
    return Arrays.asList(
        event.step(),
        event.atMillis(),
        word(event.kind()),
        event.rule(),
        event.token(),
        event.before(),
        event.after(),
        event.scope(),
        event.subject(),
        event.label(),
        event.detail(),
        evaluation(event.evaluation()));
  }

  private static @Nullable Object evaluation(TraceEvent.@Nullable Evaluation evaluation) {
    if (evaluation == null) {
      return null;
    }
    Map<String, @Nullable Object> fields = new TreeMap<>();
    fields.put("payload", TaggedValues.write(evaluation.payload().toMap()));
    fields.put("cost", evaluation.cost());
    fields.put("origin", evaluation.note().origin());
    fields.put("more", evaluation.note().more());
    return fields;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  public static Contents read(Path file) {
    return RecordingReader.read(file, FORMAT);
  }
}
