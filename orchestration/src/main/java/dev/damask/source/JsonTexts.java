package dev.damask.source;

import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonProblem;
import dev.damask.json.JsonReader;
import org.jspecify.annotations.Nullable;

/// The JSON texts of orchestrations. Their sizes are limited where they come from.
public final class JsonTexts {
  private static final JsonReader READER = new JsonReader(JsonLimits.ofNumbers(64, 400, 400));

  private JsonTexts() {}

  /// Reads a string; throws [JsonProblem] if it is not JSON.
  public static Json read(String text) {
    return READER.read(text);
  }

  /// Reads a string; null if it is not JSON.
  public static @Nullable Json readOrNull(String text) {
    try {
      return READER.read(text);
    } catch (JsonProblem e) {
      return null;
    }
  }

  /// The value as a context holds it: numbers without a declared type are doubles.
  public static @Nullable Object value(Json json) {
    return json.plain(numeral -> Double.parseDouble(numeral.digits()));
  }

  /// Whether a string is an object that has a key.
  public static boolean isObjectWith(String key, String text) {
    return readOrNull(text) instanceof Json.Fields fields && fields.get(key) != null;
  }
}
