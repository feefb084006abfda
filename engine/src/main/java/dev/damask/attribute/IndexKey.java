package dev.damask.attribute;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The bytes under which stores index the values of attributes. They sort as the values do, the
/// type first, and no key is the beginning of another one.
public final class IndexKey {
  private static final int NEGATIVE = 0;
  private static final int ZERO = 1;
  private static final int POSITIVE = 2;
  private static final int TIME_BYTES = 1 + Long.BYTES + Integer.BYTES;

  private IndexKey() {}

  /// Returns the key of a value.
  public static byte[] of(AttributeValue value) {
    byte type = (byte) value.type();
    return switch (value) {
      case AttributeValue.Flag(var flag) -> new byte[] {type, (byte) (flag ? 1 : 0)};
      case AttributeValue.Text(var text) -> {
        byte[] utf = text.getBytes(StandardCharsets.UTF_8);
        yield ByteBuffer.allocate(utf.length + 2).put(type).put(utf).put((byte) 0).array();
      }
      case AttributeValue.Time(var time) ->
          ByteBuffer.allocate(TIME_BYTES)
              .put(type)
              .putLong(time.getEpochSecond() ^ Long.MIN_VALUE)
              .putInt(time.getNano())
              .array();
      case AttributeValue.Decimal(var number) -> number(type, number);
    };
  }

  /// The sign, the exponent and the digits, each of a negative number inverted. A digit is written
  /// one greater than it is, so that the zero at the end comes before every digit.
  private static byte[] number(byte type, BigDecimal number) {
    if (number.signum() == 0) {
      return new byte[] {type, ZERO};
    }
    boolean isNegative = number.signum() < 0;
    String digits = number.unscaledValue().abs().toString();
    int exponent = digits.length() - number.scale();
    ByteBuffer out = ByteBuffer.allocate(2 + Integer.BYTES + digits.length() + 1);
    out.put(type).put((byte) (isNegative ? NEGATIVE : POSITIVE));
    out.putInt(exponent ^ Integer.MIN_VALUE);
    for (int i = 0; i < digits.length(); i++) {
      out.put((byte) (digits.charAt(i) - '0' + 1));
    }
    byte[] bytes = out.put((byte) 0).array();
    for (int i = 2; isNegative && i < bytes.length; i++) {
      bytes[i] = (byte) ~bytes[i];
    }
    return bytes;
  }

  /// Returns how many bytes the key has that begins at an index.
  public static int length(byte[] bytes, int from) {
    return switch (bytes[from]) {
      case AttributeValue.FLAG -> 2;
      case AttributeValue.TIME -> TIME_BYTES;
      case AttributeValue.TEXT -> end(bytes, from + 1, (byte) 0) - from;
      case AttributeValue.NUMBER ->
          switch (bytes[from + 1]) {
            case ZERO -> 2;
            case POSITIVE -> end(bytes, from + 2 + Integer.BYTES, (byte) 0) - from;
            default -> end(bytes, from + 2 + Integer.BYTES, (byte) ~0) - from;
          };
      default -> throw new IllegalArgumentException("no type of attribute is " + bytes[from]);
    };
  }

  private static int end(byte[] bytes, int from, byte last) {
    int at = from;
    while (bytes[at] != last) {
      at++;
    }
    return at + 1;
  }

  /// Returns the key after all that begin with these bytes.
  static byte[] after(byte[] bytes) {
    int last = bytes.length - 1;
    while (bytes[last] == (byte) 0xFF) {
      last--;
    }
    byte[] next = Arrays.copyOf(bytes, last + 1);
    next[last]++;
    return next;
  }
}
