package dev.damask.plan;

import dev.damask.check.Nearest;
import dev.damask.json.JsonWriter;
import dev.damask.json.Position;
import dev.damask.source.DiagnosticCode;
import dev.damask.source.Rejected;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Reads an object of a plan field by field. Errors name the position in the file.
///
/// @param file for messages
/// @param path the path of this object in the file; empty for the whole file
record PlanFields(String file, String path, Map<String, @Nullable Object> fields) {
  static PlanFields of(String file, String path, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return new PlanFields(file, path, copy(map));
    }
    throw wrong(file, path, "expected an object, found " + JsonWriter.canonical(value));
  }

  private static Map<String, @Nullable Object> copy(Map<?, ?> map) {
    Map<String, @Nullable Object> copy = new TreeMap<>();
    map.forEach((key, value) -> copy.put(String.valueOf(key), value));
    return copy;
  }

  private static Rejected wrong(String file, String path, String sentence) {
    return new Rejected(
        file, List.of(DiagnosticCode.PLAN_INVALID.error(path, Position.NONE, sentence)));
  }

  Rejected wrong(String field, String sentence) {
    return wrong(file, at(field), sentence);
  }

  private String at(String field) {
    return field.isEmpty() ? path : path.isEmpty() ? field : path + "." + field;
  }

  PlanFields requireOnly(String... known) {
    for (String name : fields.keySet()) {
      if (!List.of(known).contains(name)) {
        throw wrong("", "'" + name + "' is unknown; " + hint(name, List.of(known)));
      }
    }
    return this;
  }

  private static String hint(String name, Collection<String> known) {
    return Nearest.hint(name, known);
  }

  boolean has(String field) {
    return fields.get(field) != null;
  }

  /// A name that must be one of the known names.
  String oneOf(String field, Collection<String> known) {
    String name = text(field);
    if (!known.contains(name)) {
      throw wrong(field, "there is no '" + name + "', " + hint(name, known));
    }
    return name;
  }

  String text(String field) {
    if (!has(field)) {
      throw wrong("", "'" + field + "' is missing");
    }
    return text(field, "");
  }

  String text(String field, String missing) {
    return switch (fields.get(field)) {
      case null -> missing;
      case String text -> text;
      case Object other ->
          throw wrong(field, "expected a string, found " + JsonWriter.canonical(other));
    };
  }

  @Nullable Boolean flag(String field) {
    return switch (fields.get(field)) {
      case null -> null;
      case Boolean flag -> flag;
      case Object other ->
          throw wrong(field, "expected true or false, found " + JsonWriter.canonical(other));
    };
  }

  long number(String field, long missing, long least) {
    return switch (fields.get(field)) {
      case null -> missing;
      case Long number when number >= least -> number;
      case Object other ->
          throw wrong(
              field,
              "expected an integer from " + least + ", found " + JsonWriter.canonical(other));
    };
  }

  /// A duration such as `PT48H`, or a number of milliseconds.
  long millis(String field) {
    try {
      long millis =
          fields.get(field) instanceof String text
              ? Duration.parse(text).toMillis()
              : number(field, -1, 0);
      if (millis >= 0) {
        return millis;
      }
    } catch (DateTimeException | ArithmeticException e) {
      // Reported below, with the same message for every wrong value.
    }
    throw wrong(field, "expected a duration such as PT48H or a number of milliseconds");
  }

  PlanFields child(String field) {
    return of(file, at(field), has(field) ? fields.get(field) : Map.of());
  }

  Map<String, @Nullable Object> map(String field) {
    return child(field).fields();
  }

  List<?> list(String field) {
    return switch (fields.get(field)) {
      case null -> List.of();
      case List<?> items -> items;
      case Object other ->
          throw wrong(field, "expected a list, found " + JsonWriter.canonical(other));
    };
  }

  List<PlanFields> children(String field) {
    List<PlanFields> children = new ArrayList<>();
    List<?> items = list(field);
    for (int i = 0; i < items.size(); i++) {
      children.add(of(file, at(field) + "[" + i + "]", items.get(i)));
    }
    return children;
  }

  /// A list of names, each of which must be known.
  List<String> names(String field, Collection<String> known) {
    List<String> names = new ArrayList<>();
    for (Object item : list(field)) {
      if (!(item instanceof String name) || !known.contains(name)) {
        String shown = String.valueOf(item);
        throw wrong(field, "there is no '" + shown + "', " + hint(shown, known));
      }
      names.add(name);
    }
    return names;
  }
}
