package dev.damask.attribute;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What a query requires of a value. Only values of the type that it names match.
///
/// A match covers the keys of [IndexKey] from one on and before another.
public final class Match {
  private final byte[] from;
  private final byte[] to;
  private final @Nullable AttributeValue only;
  private final String text;

  /// @param only the one value that matches; null if there are several
  private Match(byte[] from, byte[] to, @Nullable AttributeValue only, String text) {
    this.from = from;
    this.to = to;
    this.only = only;
    this.text = text;
  }

  /// Returns a match of a value that is equal. Throws `IllegalArgumentException` if no attribute
  /// can have the value; so do all methods below.
  public static Match is(Object value) {
    AttributeValue wanted = AttributeValue.of(value);
    byte[] key = IndexKey.of(wanted);
    return new Match(key, IndexKey.after(key), wanted, "= " + shown(value));
  }

  /// Returns a match of greater values.
  public static Match above(Object value) {
    byte[] key = key(value);
    return new Match(IndexKey.after(key), end(key), null, "> " + shown(value));
  }

  /// Returns a match of greater and equal values.
  public static Match atLeast(Object value) {
    byte[] key = key(value);
    return new Match(key, end(key), null, ">= " + shown(value));
  }

  /// Returns a match of smaller values.
  public static Match below(Object value) {
    byte[] key = key(value);
    return new Match(begin(key), key, null, "< " + shown(value));
  }

  /// Returns a match of smaller and equal values.
  public static Match atMost(Object value) {
    byte[] key = key(value);
    return new Match(begin(key), IndexKey.after(key), null, "<= " + shown(value));
  }

  /// Returns a match of the values from one to another, both included. Throws
  /// `IllegalArgumentException` if they have different types.
  public static Match between(Object low, Object high) {
    byte[] first = key(low);
    byte[] last = key(high);
    if (first[0] != last[0]) {
      throw new IllegalArgumentException(
          "between %s and %s: both must have one type".formatted(shown(low), shown(high)));
    }
    return new Match(
        first, IndexKey.after(last), null, "between " + shown(low) + " and " + shown(high));
  }

  /// Returns a match of texts that begin with a prefix.
  public static Match startsWith(String prefix) {
    byte[] utf = new AttributeValue.Text(prefix).value().getBytes(StandardCharsets.UTF_8);
    byte[] first =
        ByteBuffer.allocate(utf.length + 1).put((byte) AttributeValue.TEXT).put(utf).array();
    return new Match(first, IndexKey.after(first), null, "begins with " + shown(prefix));
  }

  private static String shown(Object value) {
    return value instanceof String text ? "'" + text.replace("'", "''") + "'" : value.toString();
  }

  private static byte[] key(Object value) {
    return IndexKey.of(AttributeValue.of(value));
  }

  private static byte[] begin(byte[] key) {
    return new byte[] {key[0]};
  }

  private static byte[] end(byte[] key) {
    return new byte[] {(byte) (key[0] + 1)};
  }

  /// Whether a value matches.
  public boolean test(AttributeValue value) {
    byte[] key = IndexKey.of(value);
    return Arrays.compareUnsigned(key, from) >= 0 && Arrays.compareUnsigned(key, to) < 0;
  }

  /// Whether one value alone matches.
  public boolean isOne() {
    return only != null;
  }

  /// The first key that may match.
  public byte[] from() {
    return from.clone();
  }

  /// The first key after `from` that does not match.
  public byte[] to() {
    return to.clone();
  }

  /// Matches are equal if they cover the same keys.
  @Override
  public boolean equals(Object other) {
    return other instanceof Match match
        && Arrays.equals(from, match.from)
        && Arrays.equals(to, match.to);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(from) + Arrays.hashCode(to);
  }

  @Override
  public String toString() {
    return text;
  }
}
