package dev.damask.document;

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
    try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), text)) {
      int depth = 0;
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        depth += feed(parser, token, builder);
        if (depth == 0) {
          break;
        }
      }
      Position end = position(parser.currentLocation());
      if (parser.nextToken() != null) {
        throw builder.problem(position(parser.currentTokenLocation()), "text after the end");
      }
      return builder.root(end);
    } catch (StreamConstraintsException e) {
      throw builder.problem(position(e.getLocation()), tooLarge(e, limits));
    } catch (JacksonException e) {
      throw builder.problem(
          position(e.getLocation()), "not JSON: " + oneLine(e.getOriginalMessage()));
    }
  }

  private static int feed(JsonParser parser, JsonToken token, TreeBuilder builder) {
    Position at = position(parser.currentTokenLocation());
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

  private static Position position(TokenStreamLocation location) {
    return new Position(Math.max(1, location.getLineNr()), Math.max(1, location.getColumnNr()));
  }
}
