package dev.damask.orchestration;

import dev.damask.document.CanonicalJson;
import dev.damask.orchestration.Json.Spot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/// Reads and writes JSON texts. Reading refuses what two readers could understand differently:
/// double keys, text after the end, lone surrogates, numbers beyond any use.
final class JsonText {
  private static final int NESTING_MAX = 64;
  private static final int DIGITS_MAX = 400;
  private static final int EXPONENT_MAX = 400;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(NESTING_MAX)
                  .maxNumberLength(DIGITS_MAX)
                  .build())
          .build();

  private JsonText() {}

  /// The text is not JSON, or not JSON that can be used.
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Spot at;

    Malformed(Spot at, String message) {
      super(message, null, false, false);
      this.at = at;
    }

    Spot at() {
      return at == null ? Spot.NOWHERE : at;
    }
  }

  static Json read(String text) throws Malformed {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() == null) {
        throw new Malformed(new Spot(1, 1), "there is nothing in it");
      }
      Json value = new JsonText().value(parser);
      if (parser.nextToken() != null) {
        throw new Malformed(spot(parser.currentTokenLocation()), "text after the end");
      }
      return value;
    } catch (JacksonException e) {
      String message = String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
      throw new Malformed(spot(e.getLocation()), "not JSON: " + message);
    }
  }

  private static Spot spot(@Nullable TokenStreamLocation location) {
    return location == null
        ? Spot.NOWHERE
        : new Spot(Math.max(1, location.getLineNr()), Math.max(1, location.getColumnNr()));
  }

  /// Recursion is bounded by the nesting the parser allows.
  private Json value(JsonParser parser) throws Malformed {
    Spot at = spot(parser.currentTokenLocation());
    JsonToken token = parser.currentToken();
    return switch (token) {
      case START_OBJECT -> object(parser, at);
      case START_ARRAY -> {
        List<Json> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          items.add(value(parser));
        }
        yield new Json.Items(at, List.copyOf(items));
      }
      case VALUE_STRING -> new Json.Text(at, sound(at, parser.getString()));
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
        String digits = parser.getString();
        requireUsable(at, digits);
        yield new Json.Numeral(at, digits);
      }
      case VALUE_TRUE -> new Json.Flag(at, true);
      case VALUE_FALSE -> new Json.Flag(at, false);
      case VALUE_NULL -> new Json.Nothing(at);
      default -> throw new Malformed(at, "a value is missing");
    };
  }

  private Json object(JsonParser parser, Spot at) throws Malformed {
    Map<String, Json> entries = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      Spot place = spot(parser.currentTokenLocation());
      String key = sound(place, parser.currentName());
      parser.nextToken();
      if (entries.put(key, value(parser)) != null) {
        throw new Malformed(place, "the key '" + key + "' is there twice");
      }
    }
    return new Json.Fields(at, entries);
  }

  /// A lone surrogate has no bytes, so it would have no hash.
  private static String sound(Spot at, String text) throws Malformed {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        throw new Malformed(at, "half a character at index " + i);
      }
    }
    return text;
  }

  private static void requireUsable(Spot at, String digits) throws Malformed {
    int e = Math.max(digits.indexOf('e'), digits.indexOf('E'));
    if (e >= 0) {
      String exponent = digits.substring(e + 1).replaceFirst("^[+-]?0*", "");
      if (exponent.length() > 3
          || (!exponent.isEmpty() && Integer.parseInt(exponent) > EXPONENT_MAX)) {
        throw new Malformed(at, "the exponent of a number is at most " + EXPONENT_MAX);
      }
    }
  }

  static void write(@Nullable Json json, StringBuilder out) {
    switch (json) {
      case null -> out.append("null");
      case Json.Text(var at, var value) -> CanonicalJson.quote(value, out);
      case Json.Numeral(var at, var digits) -> out.append(digits);
      case Json.Flag(var at, var value) -> out.append(value);
      case Json.Nothing nothing -> out.append("null");
      case Json.Items(var at, var items) -> {
        out.append('[');
        for (int i = 0; i < items.size(); i++) {
          out.append(i == 0 ? "" : ",");
          write(items.get(i), out);
        }
        out.append(']');
      }
      case Json.Fields(var at, var entries) -> {
        String next = "{";
        for (Map.Entry<String, Json> entry : new TreeMap<>(entries).entrySet()) {
          out.append(next);
          next = ",";
          CanonicalJson.quote(entry.getKey(), out);
          out.append(':');
          write(entry.getValue(), out);
        }
        out.append(entries.isEmpty() ? "{}" : "}");
      }
    }
  }
}
