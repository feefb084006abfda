package dev.damask.json;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/// Reads JSON texts into trees. It rejects texts that two readers could understand differently:
/// duplicate keys, text after the end, unpaired surrogates, bytes that are not UTF-8.
public final class JsonReader {
  private final JsonLimits limits;
  private final JsonFactory factory;

  /// Creates a reader with these limits.
  public JsonReader(JsonLimits limits) {
    this.limits = limits;
    this.factory =
        JsonFactory.builder()
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    // The builder checks the exact limits; these bound the cost of one token.
                    .maxNestingDepth(limits.nesting() + 1)
                    .maxStringLength(limits.textBytes() + 1)
                    .maxNumberLength(limits.numberDigits())
                    .maxNameLength(limits.textBytes() + 1)
                    .build())
            .build();
  }

  /// Reads a string into a tree. Throws [JsonProblem] if it is not valid JSON or exceeds a limit.
  public Json read(String text) {
    TreeBuilder builder = new TreeBuilder(limits);
    requireShortNumbers(text, builder);
    Position last = Position.START;
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
        throw builder.problem(
            position(parser.currentTokenLocation(), end), "unexpected text after the end");
      }
      return builder.root(end);
    } catch (StreamConstraintsException e) {
      throw builder.problem(position(e.getLocation(), last), tooLarge(e));
    } catch (JacksonException e) {
      throw builder.problem(
          position(e.getLocation(), last), "not valid JSON: " + oneLine(e.getOriginalMessage()));
    }
  }

  /// Decodes UTF-8. Throws [JsonProblem] for other encodings, byte order marks and invalid bytes.
  public static String decode(byte[] bytes) {
    String hint = "; save the file as UTF-8 without a byte order mark";
    if (startsWith(bytes, 0xEF, 0xBB, 0xBF)) {
      throw new JsonProblem(Position.START, "", "the file begins with a byte order mark" + hint);
    }
    boolean zeros = bytes.length > 1 && (bytes[0] == 0 || bytes[1] == 0);
    if (startsWith(bytes, 0xFE, 0xFF) || startsWith(bytes, 0xFF, 0xFE) || zeros) {
      throw new JsonProblem(Position.START, "", "the file is UTF-16 or UTF-32" + hint);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    if (StandardCharsets.UTF_8.newDecoder().decode(in, out, true).isError()) {
      int line = 1;
      for (int i = 0; i < in.position(); i++) {
        line += bytes[i] == '\n' ? 1 : 0;
      }
      throw new JsonProblem(
          new Position(line, 1), "", "byte " + in.position() + " is not valid UTF-8");
    }
    return out.flip().toString();
  }

  private static boolean startsWith(byte[] bytes, int... start) {
    for (int i = 0; i < start.length; i++) {
      if (i >= bytes.length || (bytes[i] & 0xFF) != start[i]) {
        return false;
      }
    }
    return true;
  }

  /// Rejects long numbers before the parser reads them: it reads a number together with the key
  /// before it, and then cannot report the number's position.
  private void requireShortNumbers(String text, TreeBuilder builder) {
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
              "a number must have at most " + limits.numberDigits() + " digits, got " + length);
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

  private String tooLarge(StreamConstraintsException e) {
    String message = String.valueOf(e.getOriginalMessage());
    if (message.contains("Number")) {
      return "a number must have at most " + limits.numberDigits() + " digits";
    }
    if (message.contains("Name")) {
      return "a key must have at most " + limits.nameBytes() + " bytes";
    }
    if (message.contains("String")) {
      return "a string must have at most " + limits.textBytes() + " bytes";
    }
    return oneLine(message);
  }

  private static String oneLine(String message) {
    String first = message.lines().findFirst().orElse("");
    int hint = first.indexOf(" (start marker at");
    return hint < 0 ? first : first.substring(0, hint);
  }

  /// Returns the position of a problem. Some have none; they are found directly after the last
  /// token.
  private static Position position(@Nullable TokenStreamLocation location, Position last) {
    return location == null || location.getLineNr() < 1
        ? last
        : new Position(location.getLineNr(), Math.max(1, location.getColumnNr()));
  }
}
