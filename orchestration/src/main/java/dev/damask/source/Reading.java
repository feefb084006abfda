package dev.damask.source;

import dev.damask.check.Diagnostic;
import dev.damask.json.Json;
import dev.damask.json.JsonProblem;
import dev.damask.json.Position;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Looks at the parts of one document and gathers what is wrong with them.
public final class Reading {
  private static final int DIAGNOSTICS_MAX = 200;

  private final List<Diagnostic> diagnostics = new ArrayList<>();

  /// Returns the diagnostics so far, in order.
  public List<Diagnostic> diagnostics() {
    return diagnostics;
  }

  /// Whether one of the diagnostics is an error.
  public boolean hasErrors() {
    return diagnostics.stream().anyMatch(Diagnostic::isError);
  }

  /// Adds an error at a part of the document.
  public void error(DiagnosticCode code, String path, Json at, String sentence) {
    add(code.error(path, at.at(), sentence));
  }

  /// Adds a warning at a part of the document.
  public void warning(DiagnosticCode code, String path, Json at, String sentence) {
    add(code.warning(path, at.at(), sentence));
  }

  /// Adds a diagnostic, unless there are too many already.
  public void add(Diagnostic diagnostic) {
    if (diagnostics.size() < DIAGNOSTICS_MAX) {
      diagnostics.add(diagnostic);
    }
  }

  /// The root of a document; null when it has none that can be looked at.
  public Json.@Nullable Fields root(String text, Limit bytes) {
    long length = text.getBytes(StandardCharsets.UTF_8).length;
    if (!bytes.allows(length)) {
      add(DiagnosticCode.LIMIT_EXCEEDED.error("", Position.START, bytes.breach(length)));
      return null;
    }
    try {
      return fields("", JsonTexts.read(text));
    } catch (JsonProblem e) {
      notJson(e);
      return null;
    }
  }

  /// Adds the error of a string that is not valid JSON.
  public void notJson(JsonProblem problem) {
    add(DiagnosticCode.NOT_JSON.error(problem.path(), problem.at(), problem.sentence()));
  }

  /// Returns whether a value is within a limit, and adds an error if it is not.
  public boolean cap(Limit cap, long observed, String path, Json at) {
    if (!cap.allows(observed)) {
      error(DiagnosticCode.LIMIT_EXCEEDED, path, at, cap.breach(observed));
      return false;
    }
    return true;
  }

  /// Returns an object; null, and adds an error, if the value is something else.
  public Json.@Nullable Fields fields(String path, @Nullable Json json) {
    if (json instanceof Json.Fields fields) {
      return fields;
    }
    if (json != null) {
      error(DiagnosticCode.WRONG_TYPE, path, json, "expected an object, found " + json.kind());
    }
    return null;
  }

  /// The items of a list; none when it is missing or no list.
  public List<Json> items(String path, @Nullable Json json) {
    if (json instanceof Json.Items(var at, var items)) {
      return items;
    }
    if (json != null) {
      error(DiagnosticCode.WRONG_TYPE, path, json, "expected a list, found " + json.kind());
    }
    return List.of();
  }

  /// A text; null when it is missing or none.
  public @Nullable String text(String path, @Nullable Json json) {
    if (json instanceof Json.Text(var at, var value)) {
      return value;
    }
    if (json != null) {
      error(DiagnosticCode.WRONG_TYPE, path, json, "expected a string, found " + json.kind());
    }
    return null;
  }

  /// Refuses every key that is not among the known ones.
  public void known(String path, Json.Fields fields, String... keys) {
    Set<String> known = new TreeSet<>(List.of(keys));
    for (Map.Entry<String, Json> entry : fields.entries().entrySet()) {
      if (!known.contains(entry.getKey())) {
        error(
            DiagnosticCode.UNKNOWN_KEY,
            join(path, entry.getKey()),
            entry.getValue(),
            "unknown key '" + entry.getKey() + "'; the known keys are " + known);
      }
    }
  }

  static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }
}
