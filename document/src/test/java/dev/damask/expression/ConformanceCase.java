package dev.damask.expression;

import dev.damask.expression.Lexeme.Kind;
import dev.damask.task.ExpressionFailure;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// One case of the public conformance suite of the language.
record ConformanceCase(JsonNode json) {
  /// Files whose cases need functions and macros that are not part of the language itself.
  private static final Set<String> EXTENSIONS = Set.of("string_ext", "macros2");

  private static final Set<String> TIMES = Set.of("timestamp", "duration");
  private static final Set<String> MESSAGES = Set.of("google", "TestAllTypes");

  String name() {
    return json.get("file").asString() + "/" + json.get("name").asString();
  }

  private Source source() {
    return new Source(json.get("expr").asString());
  }

  private String wanted() {
    return json.get("want").get("t").asString();
  }

  /// Why the case is not about our part of the language; empty when it is.
  Optional<String> outside() {
    if (EXTENSIONS.contains(json.get("file").asString())) {
      return Optional.of("extensions");
    }
    if (!json.get("container").asString().isEmpty()) {
      return Optional.of("containers");
    }
    List<Lexeme> tokens;
    try {
      tokens = Lexer.tokens(source());
    } catch (InvalidExpression invalid) {
      return String.valueOf(invalid.getMessage()).endsWith("unsigned numbers are not supported")
          ? Optional.of("uint")
          : Optional.empty();
    }
    for (Lexeme token : tokens) {
      if (token.kind() == Kind.NAME) {
        if (token.text().equals("uint")) {
          return Optional.of("uint");
        }
        if (TIMES.contains(token.text())) {
          return Optional.of("time");
        }
        if (MESSAGES.contains(token.text())) {
          return Optional.of("protobuf");
        }
      }
    }
    for (JsonNode bound : json.get("bind")) {
      if (bound.get("t").asString().equals("uint")) {
        return Optional.of("uint");
      }
      if (bound.get("t").asString().equals("other")) {
        return Optional.of("protobuf");
      }
    }
    return Optional.empty();
  }

  /// What is wrong with our answer; empty when the case passes.
  Optional<String> problem() {
    Object found;
    try {
      found = expression().value(context());
    } catch (InvalidExpression refused) {
      return Optional.of("refused: " + refused.getMessage());
    } catch (ExpressionFailure failure) {
      return wanted().equals("error")
          ? Optional.empty()
          : Optional.of(String.valueOf(failure.getMessage()));
    }
    if (wanted().equals("error") || wanted().equals("other")) {
      return Optional.of("no failure but " + found);
    }
    Object expected = value(json.get("want"));
    return Objects.equals(expected, found)
        ? Optional.empty()
        : Optional.of("wanted " + expected + ", found " + found);
  }

  /// A case that skips the check of types is only parsed.
  private CompiledExpression expression() {
    Source source = source();
    return json.get("nocheck").asBoolean()
        ? new CompiledExpression(
            source,
            Expressions.parse(source, Functions.NONE),
            new Checker.Checked(Type.Simple.DYN, Set.of()))
        : Expressions.compile(source.text());
  }

  private Context context() {
    Context context = Context.empty();
    for (Map.Entry<String, JsonNode> bound : json.get("bind").properties()) {
      context = context.with(bound.getKey(), value(bound.getValue()));
    }
    return context;
  }

  private static @Nullable Object value(JsonNode node) {
    String type = node.get("t").asString();
    return switch (type) {
      case "null" -> null;
      case "bool" -> Boolean.valueOf(node.get("v").asString());
      case "int" -> Long.valueOf(node.get("v").asString());
      case "double" -> real(node.get("v").asString());
      case "string" -> node.get("v").asString();
      case "bytes" -> Bytes.of(HexFormat.of().parseHex(node.get("v").asString()));
      case "list" -> {
        List<@Nullable Object> items = new ArrayList<>();
        node.get("v").forEach(item -> items.add(value(item)));
        yield items;
      }
      case "map" -> {
        Map<String, @Nullable Object> entries = new LinkedHashMap<>();
        node.get("v")
            .forEach(
                entry -> entries.put(String.valueOf(value(entry.get(0))), value(entry.get(1))));
        yield entries;
      }
      default -> throw new IllegalArgumentException("there is no type " + type);
    };
  }

  private static Double real(String text) {
    return switch (text) {
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.valueOf(text);
    };
  }
}
