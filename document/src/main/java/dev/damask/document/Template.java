package dev.damask.document;

import dev.damask.expression.Expressions;
import dev.damask.json.Json;
import dev.damask.json.JsonWriter;
import dev.damask.task.Expression;
import dev.damask.task.Secrets;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A value with expressions: each `${EXPR}` in a string is replaced by its value in the context. A
/// string that is exactly one expression keeps the type of the value; `${secret.NAME}` stays a
/// marker until the call.
sealed interface Template {
  @Nullable Object fill(Context context);

  record Fixed(@Nullable Object value) implements Template {
    @Override
    public @Nullable Object fill(Context context) {
      return value;
    }
  }

  /// Exactly one expression.
  record Hole(Expression expression) implements Template {
    @Override
    public @Nullable Object fill(Context context) {
      return Secrets.escape(expression.value(context));
    }
  }

  /// Exactly one secret.
  record Secret(String name) implements Template {
    @Override
    public Object fill(Context context) {
      return Secrets.marker(name);
    }
  }

  /// Strings, expressions and secrets in sequence. The text between two secrets is escaped as a
  /// whole, so that data cannot complete a marker.
  record Mixed(List<Template> parts) implements Template {
    @Override
    public Object fill(Context context) {
      StringBuilder text = new StringBuilder();
      StringBuilder open = new StringBuilder();
      for (Template part : parts) {
        switch (part) {
          case Secret(var name) -> {
            text.append(Secrets.escape(open.toString())).append(Secrets.marker(name));
            open.setLength(0);
          }
          case Hole(var expression) -> open.append(shown(expression.value(context)));
          default -> open.append(part.fill(context));
        }
      }
      return text.append(Secrets.escape(open.toString())).toString();
    }
  }

  record Items(List<Template> items) implements Template {
    @Override
    public Object fill(Context context) {
      List<@Nullable Object> list = new ArrayList<>();
      items.forEach(item -> list.add(item.fill(context)));
      return list;
    }
  }

  record Entries(Map<String, Template> entries) implements Template {
    @Override
    public Map<String, @Nullable Object> fill(Context context) {
      Map<String, @Nullable Object> map = new LinkedHashMap<>();
      entries.forEach((key, entry) -> map.put(key, entry.fill(context)));
      return map;
    }
  }

  /// Returns whether the value is the same in every context.
  default boolean isConstant() {
    return switch (this) {
      case Fixed _, Secret _ -> true;
      case Hole(var expression) -> expression.folded() != expression;
      case Mixed(var parts) -> parts.stream().allMatch(Template::isConstant);
      case Items(var items) -> items.stream().allMatch(Template::isConstant);
      case Entries(var entries) -> entries.values().stream().allMatch(Template::isConstant);
    };
  }

  private static String shown(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case List<?> list -> JsonWriter.canonical(list);
      case Map<?, ?> map -> JsonWriter.canonical(map);
      default -> value.toString();
    };
  }

  /// Reads a template. Throws if an expression is not closed or does not parse.
  static Template of(Json node) {
    return switch (node) {
      case Json.Text(var at, var text) -> ofText(text);
      case Json.Items(var at, var items) -> new Items(items.stream().map(Template::of).toList());
      case Json.Fields(var at, var fields, var keys) -> {
        Map<String, Template> entries = new LinkedHashMap<>();
        fields.forEach((key, field) -> entries.put(key, of(field)));
        yield new Entries(entries);
      }
      default -> new Fixed(FieldReader.value(node));
    };
  }

  private static Template ofText(String text) {
    List<Template> parts = new ArrayList<>();
    int from = 0;
    for (int at = text.indexOf("${"); at >= 0; at = text.indexOf("${", from)) {
      int end = endOfHole(text, at + 2);
      if (at > from) {
        parts.add(new Fixed(text.substring(from, at)));
      }
      parts.add(hole(text.substring(at + 2, end).strip()));
      from = end + 1;
    }
    if (parts.isEmpty()) {
      return new Fixed(Secrets.escape(text));
    }
    if (from < text.length()) {
      parts.add(new Fixed(text.substring(from)));
    }
    return parts.size() == 1 ? parts.getFirst() : new Mixed(parts);
  }

  private static Template hole(String text) {
    if (text.startsWith("secret.") && Secrets.isName(text.substring("secret.".length()))) {
      return new Secret(text.substring("secret.".length()));
    }
    if (Expressions.names(text).contains("secret")) {
      throw new IllegalArgumentException(
          "'${" + Expected.cut(text) + "}': a secret must stand alone, as in ${secret.NAME}");
    }
    return new Hole(Expressions.expression(text));
  }

  /// Returns the index of the closing brace of an expression, skipping braces and quotes inside it.
  private static int endOfHole(String text, int from) {
    int depth = 0;
    char quote = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        if (c == '\\') {
          i++;
        } else if (c == quote) {
          quote = 0;
        }
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '{') {
        depth++;
      } else if (c == '}' && depth-- == 0) {
        return i;
      }
    }
    throw new IllegalArgumentException(
        "'" + Expected.cut(text.substring(from - 2)) + "': ${ is not closed by }");
  }
}
