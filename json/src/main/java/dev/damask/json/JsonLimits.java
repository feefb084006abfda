package dev.damask.json;

/// The limits of a string. A reader checks them while it reads.
///
/// @param documentBytes the maximum size of the whole text
/// @param nesting the maximum nesting of lists and objects
/// @param textBytes the maximum size of one string
/// @param nameBytes the maximum size of one key
/// @param numberDigits the maximum number of characters of a number
/// @param exponent the largest exponent of a number, positive or negative
/// @param values the maximum number of values in the whole text
public record JsonLimits(
    int documentBytes,
    int nesting,
    int textBytes,
    int nameBytes,
    int numberDigits,
    int exponent,
    int values) {
  /// The limits of documents and contexts.
  public static final JsonLimits DEFAULT =
      new JsonLimits(16 * 1_024 * 1_024, 256, 64 * 1_024, 128, 1_000, 1_000, 500_000);

  public JsonLimits {
    int least = Math.min(Math.min(documentBytes, nesting), Math.min(textBytes, nameBytes));
    if (Math.min(Math.min(least, numberDigits), Math.min(exponent, values)) < 1) {
      throw new IllegalArgumentException("each limit must be at least 1");
    }
  }

  /// Returns limits for texts of a known, bounded size: only nesting and numbers are limited.
  public static JsonLimits ofNumbers(int nesting, int numberDigits, int exponent) {
    int max = Integer.MAX_VALUE - 1;
    return new JsonLimits(max, nesting, max, max, numberDigits, exponent, max);
  }
}
