package dev.damask.document;

import dev.damask.check.Nearest;
import dev.damask.json.JsonWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The allowed payloads and the results of the built-in effect types.
///
/// The values of templates are not known before the task runs, so only their keys are checked.
final class BuiltInPayloads {
  /// The marker of a value that is known only when the task runs.
  private static final String HOLE = "${";

  private static final String URL = "must be a string such as https://example.org/orders";

  private static final Map<String, Map<String, Rule>> TYPES =
      Map.of(
          "log",
          Map.of(
              "message",
              value -> "",
              "level",
              word("trace", "debug", "info", "warn", "warning", "error")),
          "sleep",
          Map.of("for", BuiltInPayloads::duration),
          "http",
          Map.of(
              "method",
              word("GET", "POST", "PUT", "PATCH", "DELETE"),
              "url",
              BuiltInPayloads::url,
              "headers",
              value -> value instanceof Map ? "" : "must be an object",
              "body",
              value -> "",
              "expect",
              BuiltInPayloads::statuses),
          "approval",
          Map.of(
              "question",
              BuiltInPayloads::text,
              "approvers",
              value ->
                  value instanceof List || value instanceof String ? "" : "must be a list of names",
              "within",
              BuiltInPayloads::duration,
              "onTimeout",
              word("cancel", "default", "escalate"),
              "default",
              value -> ""));

  private static final Map<String, Set<String>> REQUIRED =
      Map.of("sleep", Set.of("for"), "http", Set.of("url"));

  private static final Map<String, Set<String>> RESULTS =
      Map.of(
          "log", Set.of(),
          "sleep", Set.of(),
          "http", Set.of("status", "headers", "body"));

  private BuiltInPayloads() {}

  /// Returns the expected kind of a value, or an empty string if the value has that kind.
  private interface Rule {
    String problem(@Nullable Object value);
  }

  static Set<String> types() {
    return new TreeSet<>(TYPES.keySet());
  }

  /// Returns the keys that the result of a type writes. Empty if they are not known.
  static Optional<Set<String>> results(String type) {
    return Optional.ofNullable(RESULTS.get(type));
  }

  /// Returns the problems of the payload of a built-in type, one message each.
  static List<String> problems(String type, @Nullable Object payload) {
    Map<String, Rule> rules = TYPES.get(type);
    if (rules == null) {
      return List.of();
    }
    List<String> problems = new ArrayList<>();
    Map<?, ?> entries = payload instanceof Map<?, ?> map ? map : Map.of();
    entries.forEach((key, value) -> {
      Rule rule = rules.get(String.valueOf(key));
      if (rule == null) {
        problems.add(
            "%s: unknown key '%s'; %s"
                .formatted(type, key, Nearest.hint(key.toString(), keys(type))));
      } else if (!isFilled(value) && !rule.problem(value).isEmpty()) {
        problems.add(
            "%s: '%s' %s, found %s"
                .formatted(type, key, rule.problem(value), JsonWriter.canonical(value)));
      }
    });
    for (String key : new TreeSet<>(REQUIRED.getOrDefault(type, Set.of()))) {
      if (!entries.containsKey(key)) {
        problems.add("%s: the key '%s' is missing".formatted(type, key));
      }
    }
    if (type.equals("approval")) {
      approval(entries, problems);
    }
    return problems;
  }

  private static Set<String> keys(String type) {
    return new TreeMap<>(TYPES.getOrDefault(type, Map.of())).keySet();
  }

  /// Checks the keys of an approval that depend on each other.
  private static void approval(Map<?, ?> entries, List<String> problems) {
    Object action = entries.containsKey("onTimeout") ? entries.get("onTimeout") : "cancel";
    if (isFilled(action)) {
      return;
    }
    if (!"cancel".equals(action) && !entries.containsKey("within")) {
      problems.add("approval: 'onTimeout' requires 'within'");
    }
    if (entries.containsKey("default") != "default".equals(action)) {
      problems.add("approval: 'default' and 'onTimeout: default' require each other");
    }
  }

  private static boolean isFilled(@Nullable Object value) {
    return value instanceof String text && text.contains(HOLE);
  }

  private static Rule word(String... words) {
    List<String> known = List.of(words);
    return value ->
        value instanceof String && known.contains(value) ? "" : "must be one of " + known;
  }

  private static String text(@Nullable Object value) {
    return value instanceof String text && !text.isBlank() ? "" : "must be a string";
  }

  private static String url(@Nullable Object value) {
    try {
      String scheme =
          value instanceof String text
              ? String.valueOf(new URI(text).getScheme()).toLowerCase(Locale.ROOT)
              : "";
      return scheme.equals("http") || scheme.equals("https") ? "" : URL;
    } catch (URISyntaxException e) {
      return URL;
    }
  }

  private static String duration(@Nullable Object value) {
    String wanted = "is a duration such as PT10S or a number of seconds";
    if (value instanceof Number number) {
      return number.doubleValue() >= 0 ? "" : wanted;
    }
    try {
      return value instanceof String text && !Duration.parse(text).isNegative() ? "" : wanted;
    } catch (DateTimeParseException e) {
      return wanted;
    }
  }

  private static String statuses(@Nullable Object value) {
    for (Object each : value instanceof List<?> list ? list : List.of(String.valueOf(value))) {
      long status =
          each instanceof Number number ? number.longValue() : number(String.valueOf(each));
      if (!isFilled(each) && (status < 100 || status > 999)) {
        return "must be a list of statuses such as [200, 404]";
      }
    }
    return "";
  }

  private static long number(String text) {
    return text.matches("[0-9]{3}") ? Long.parseLong(text) : -1;
  }
}
