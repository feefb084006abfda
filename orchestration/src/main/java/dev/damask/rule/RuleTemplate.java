package dev.damask.rule;

import dev.damask.expression.TypedNumber;
import dev.damask.json.JsonWriter;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/// A string with placeholders.
public final class RuleTemplate {
  private final List<Part> parts;

  private RuleTemplate(List<Part> parts) {
    this.parts = List.copyOf(parts);
  }

  private sealed interface Part {
    record Literal(String text) implements Part {}

    record Name(String name) implements Part {}
  }

  /// Thrown if a placeholder has no value.
  public static final class Missing extends Exception {
    private static final long serialVersionUID = 1L;

    Missing(String name) {
      super("there is no '" + name + "'", null, false, false);
    }
  }

  /// Parses a template.
  ///
  /// @param strict whether a bracket outside a placeholder must be doubled; otherwise it is literal
  static RuleTemplate parse(String text, boolean strict) {
    List<Part> parts = new ArrayList<>();
    StringBuilder literal = new StringBuilder();
    Matcher placeholder = RuleText.PLACEHOLDER.matcher(text);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean doubled = i + 1 < text.length() && text.charAt(i + 1) == c;
      if (strict && (c == '[' || c == ']') && doubled) {
        literal.append(c);
        i++;
      } else if (c == '[' && placeholder.region(i, text.length()).lookingAt()) {
        parts.add(new Part.Literal(literal.toString()));
        literal.setLength(0);
        parts.add(new Part.Name(placeholder.group(1)));
        i = placeholder.end() - 1;
      } else if (strict && (c == '[' || c == ']')) {
        throw new IllegalArgumentException(
            "the bracket at index " + i + " is not a placeholder; double it to write a bracket");
      } else {
        literal.append(c);
      }
    }
    parts.add(new Part.Literal(literal.toString()));
    return new RuleTemplate(parts);
  }

  List<String> names() {
    List<String> names = new ArrayList<>();
    for (Part part : parts) {
      if (part instanceof Part.Name(var name)) {
        names.add(name);
      }
    }
    return names;
  }

  /// Replaces every placeholder with its encoded value.
  public String render(Context values, UnaryOperator<String> encoding) throws Missing {
    StringBuilder out = new StringBuilder();
    for (Part part : parts) {
      switch (part) {
        case Part.Literal(var text) -> out.append(text);
        case Part.Name(var name) -> {
          if (!values.has(name)) {
            throw new Missing(name);
          }
          out.append(encoding.apply(text(values.get(name))));
        }
      }
    }
    return out.toString();
  }

  /// A value in the form that a template inserts.
  public static String text(@Nullable Object value) {
    return switch (value) {
      case String text -> text;
      case Double number -> ValueType.plain(number);
      case BigDecimal number -> number.toPlainString();
      case TypedNumber number -> number.toString();
      case null, default -> JsonWriter.canonical(value);
    };
  }
}
