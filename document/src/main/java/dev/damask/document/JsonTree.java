package dev.damask.document;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/// Reads a JSON text into a tree.
final class JsonTree {
  private JsonTree() {}

  static DocumentNode read(String text, TreeBuilder builder, DocumentLimits limits) {
    requireShortNumbers(text, builder, limits);
    JsonFactory factory =
        JsonFactory.builder()
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    // The builder has the exact limits; these only bound what one token may cost.
                    .maxNestingDepth(limits.nesting() + 1)
                    .maxStringLength(limits.textBytes() + 1)
                    .maxNumberLength(limits.numberDigits())
                    .maxNameLength(limits.textBytes() + 1)
                    .build())
            .build();
    Position last = new Position(1, 1);
    try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), text)) {
      int depth = 0;
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        last = position(parser.currentTokenLocation(), last);
        depth += feed(parser, token, last, builder);
        if (depth == 0) {
          break;
        }
      }
      Position end = position(parser.currentLocation(), last);
      if (parser.nextToken() != null) {
        throw builder.problem(position(parser.currentTokenLocation(), end), "text after the end");
      }
      return builder.root(end);
    } catch (StreamConstraintsException e) {
      throw builder.problem(position(e.getLocation(), last), tooLarge(e, limits));
    } catch (JacksonException e) {
      throw builder.problem(
          position(e.getLocation(), last), "not JSON: " + oneLine(e.getOriginalMessage()));
    }
  }

  /// Refuses long numbers before the parser sees them: it reads a number together with the key
  /// before it, and then cannot say where the number stood.
  private static void requireShortNumbers(String text, TreeBuilder builder, DocumentLimits limits) {
    boolean quoted = false;
    int length = 0;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : ' ';
      if (quoted) {
        i += c == '\\' ? 1 : 0;
        quoted = c != '"';
      } else if (c >= '0' && c <= '9') {
        length++;
      } else {
        if (length > limits.numberDigits()) {
          throw builder.problem(
              positionOf(text, i - length),
              "a number has at most " + limits.numberDigits() + " digits, found " + length);
        }
        length = 0;
        quoted = c == '"';
      }
    }
  }

  private static Position positionOf(String text, int offset) {
    int line = 1;
    int start = 0;
    for (int i = text.indexOf('\n'); i >= 0 && i < offset; i = text.indexOf('\n', i + 1)) {
      line++;
      start = i + 1;
    }
    return new Position(line, offset - start + 1);
  }

  private static int feed(JsonParser parser, JsonToken token, Position at, TreeBuilder builder) {
    switch (token) {
      case START_OBJECT, START_ARRAY -> {
        builder.begin(at, token == JsonToken.START_ARRAY);
        return 1;
      }
      case END_OBJECT, END_ARRAY -> {
        builder.end();
        return -1;
      }
      case PROPERTY_NAME -> builder.key(at, parser.currentName());
      case VALUE_STRING -> builder.text(at, parser.getString());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> builder.number(at, parser.getString());
      case VALUE_TRUE, VALUE_FALSE -> builder.flag(at, token == JsonToken.VALUE_TRUE);
      case VALUE_NULL -> builder.none(at);
      default -> throw new IllegalStateException("unexpected token " + token);
    }
    return 0;
  }

  private static String tooLarge(StreamConstraintsException e, DocumentLimits limits) {
    String message = String.valueOf(e.getOriginalMessage());
    if (message.contains("Number")) {
      return "a number has at most " + limits.numberDigits() + " digits";
    }
    if (message.contains("Name")) {
      return "a name has at most " + limits.nameBytes() + " bytes";
    }
    if (message.contains("String")) {
      return "a text has at most " + limits.textBytes() + " bytes";
    }
    return oneLine(message);
  }

  private static String oneLine(String message) {
    String first = message.lines().findFirst().orElse("");
    int hint = first.indexOf(" (start marker at");
    return hint < 0 ? first : first.substring(0, hint);
  }

  /// Some refusals have no place of their own; they happen right after the last token.
  private static Position position(@Nullable TokenStreamLocation location, Position last) {
    return location == null || location.getLineNr() < 1
        ? last
        : new Position(location.getLineNr(), Math.max(1, location.getColumnNr()));
  }
}
