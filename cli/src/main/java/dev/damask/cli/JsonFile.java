package dev.damask.cli;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/// Reads a JSON file of ours into plain values: maps, lists, texts, longs, doubles, booleans, null.
final class JsonFile {
  /// A context nests 256 deep, and a few levels stand around it.
  private static final int NESTING_MAX = 1_200;

  private static final int TEXT_MAX = 64 * 1_024 * 1_024;
  private static final int DIGITS_MAX = 2_000;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(NESTING_MAX)
                  .maxStringLength(TEXT_MAX)
                  .maxNumberLength(DIGITS_MAX)
                  .build())
          .build();

  private JsonFile() {}

  static @Nullable Object read(Path file) {
    if (!Files.exists(file)) {
      throw new Refusal(file + ": the file does not exist");
    }
    if (Files.isDirectory(file)) {
      throw new Refusal(file + ": the file is a directory");
    }
    try (var in = Files.newInputStream(file);
        JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), in)) {
      return whole(file.toString(), parser);
    } catch (IOException e) {
      throw new Refusal(file + ": the file cannot be read");
    }
  }

  /// Reads a text; the name appears in messages.
  static @Nullable Object parse(String name, String text) {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      return whole(name, parser);
    }
  }

  private static @Nullable Object whole(String name, JsonParser parser) {
    try {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new Refusal(name + ": the file is empty");
      }
      Object value = value(parser, first);
      if (parser.nextToken() != null) {
        throw new Refusal(name + ":" + line(parser) + ": text after the end");
      }
      return value;
    } catch (JacksonException e) {
      int line = e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getLineNr());
      throw new Refusal(name + ":" + line + ": not JSON: " + e.getOriginalMessage());
    }
  }

  private static int line(JsonParser parser) {
    return Math.max(1, parser.currentTokenLocation().getLineNr());
  }

  private static @Nullable Object value(JsonParser parser, JsonToken token) {
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (JsonToken t = parser.nextToken(); t != JsonToken.END_ARRAY; t = parser.nextToken()) {
          list.add(value(parser, t));
        }
        yield list;
      }
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT -> whole(parser.getString());
      case VALUE_NUMBER_FLOAT -> Double.valueOf(parser.getString());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }

  private static Map<String, @Nullable Object> object(JsonParser parser) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (JsonToken t = parser.nextToken(); t != JsonToken.END_OBJECT; t = parser.nextToken()) {
      String key = parser.currentName();
      map.put(key, value(parser, parser.nextToken()));
    }
    return map;
  }

  private static Object whole(String digits) {
    try {
      return Long.valueOf(digits);
    } catch (NumberFormatException e) {
      return new BigDecimal(digits);
    }
  }
}
