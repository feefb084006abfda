package dev.damask.rule;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The types of payload fields, reads, extracts and arguments, and how values are cast to them.
///
/// In a context, 64-bit integers are longs, and larger unsigned ones are decimals. 256-bit integers
/// and decimals are digits in a string. In expressions all of them are numbers of their range.
public enum ValueType {
  STRING,
  BOOL,
  INT64,
  UINT64,
  INT256,
  UINT256,
  DOUBLE,
  DECIMAL,
  UUID,
  ADDRESS,
  BYTES,
  BYTES32,
  TIMESTAMP_MS,
  DURATION_MS;

  private static final BigInteger TWO = BigInteger.TWO;
  private static final BigInteger BEYOND_63 = TWO.pow(63);
  private static final BigInteger BEYOND_64 = TWO.pow(64);
  private static final BigInteger LEAST_64 = BEYOND_63.negate();
  private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]{1,80}");
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?([0-9]{1,80}(\\.[0-9]{0,80})?|\\.[0-9]{1,80})([eE][+-]?[0-9]{1,3})?");
  private static final Pattern UUID_FORM =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  private static final Pattern HEX = Pattern.compile("0x([0-9a-fA-F]{2})*");

  /// Thrown if a value does not fit the type.
  public static final class CastFailed extends Exception {
    private static final long serialVersionUID = 1L;

    CastFailed(String message) {
      super(message, null, false, false);
    }
  }

  /// The type with a name in documents, or null if there is none.
  static @Nullable ValueType of(String name) {
    for (ValueType type : values()) {
      if (type.word().equals(name)) {
        return type;
      }
    }
    return null;
  }

  /// The type of these values in expressions.
  String inExpressions() {
    return switch (this) {
      case BOOL, DOUBLE, DECIMAL, INT256, UINT256 -> word();
      case INT64 -> "int";
      case UINT64, TIMESTAMP_MS, DURATION_MS -> "uint64";
      case STRING, UUID, ADDRESS, BYTES, BYTES32 -> "string";
    };
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Converts a value to the form that this type has in contexts.
  public Object cast(@Nullable Object value) throws CastFailed {
    if (value == null) {
      throw failed(value);
    }
    return switch (this) {
      case STRING -> text(value);
      case BOOL -> bool(value);
      case INT64 ->
          value instanceof Long ? value : whole(value, LEAST_64, BEYOND_63).longValueExact();
      case UINT64, TIMESTAMP_MS, DURATION_MS -> {
        if (value instanceof Long number && number >= 0) {
          yield number;
        }
        BigInteger number = whole(value, BigInteger.ZERO, BEYOND_64);
        yield number.bitLength() < Long.SIZE
            ? (Object) number.longValueExact()
            : new BigDecimal(number);
      }
      case INT256 -> whole(value, TWO.pow(255).negate(), TWO.pow(255)).toString();
      case UINT256 -> whole(value, BigInteger.ZERO, TWO.pow(256)).toString();
      case DOUBLE -> number(value).doubleValue();
      case DECIMAL -> decimal(value);
      case UUID -> matching(value, UUID_FORM).toLowerCase(Locale.ROOT);
      case ADDRESS -> hex(value, 20);
      case BYTES -> hex(value, -1);
      case BYTES32 -> hex(value, 32);
    };
  }

  private CastFailed failed(@Nullable Object value) {
    String text = String.valueOf(value);
    String shown = text.length() > 60 ? text.substring(0, 60) + "…" : text;
    return new CastFailed("not a value of type " + word() + ": " + shown);
  }

  private String text(Object value) throws CastFailed {
    return switch (value) {
      case String text -> text;
      case Boolean flag -> flag.toString();
      case Long number -> number.toString();
      case Double number -> plain(number);
      case BigDecimal number -> number.toPlainString();
      default -> throw failed(value);
    };
  }

  /// A double as a string; an integer has no fraction.
  static String plain(double number) {
    return number == Math.rint(number) && Math.abs(number) < 1e15
        ? Long.toString((long) number)
        : Double.toString(number);
  }

  private Boolean bool(Object value) throws CastFailed {
    return switch (value) {
      case Boolean flag -> flag;
      case Long number -> number != 0;
      case Double number -> number != 0;
      case BigDecimal number -> number.signum() != 0;
      case String text when text.equals("true") -> true;
      case String text when text.equals("false") -> false;
      default -> throw failed(value);
    };
  }

  private BigInteger whole(Object value, BigInteger least, BigInteger beyond) throws CastFailed {
    BigInteger number =
        switch (value) {
          case Long whole -> BigInteger.valueOf(whole);
          case Double real when real == Math.rint(real) && !Double.isInfinite(real) ->
              new BigDecimal(real).toBigIntegerExact();
          case BigDecimal decimal when decimal.stripTrailingZeros().scale() <= 0 ->
              decimal.toBigIntegerExact();
          case String text when WHOLE.matcher(text).matches() ->
              new BigInteger(text.startsWith("+") ? text.substring(1) : text);
          default -> throw failed(value);
        };
    if (number.compareTo(least) < 0 || number.compareTo(beyond) >= 0) {
      throw new CastFailed(number + " is out of the range of " + word());
    }
    return number;
  }

  private Number number(Object value) throws CastFailed {
    return switch (value) {
      case Long number -> number;
      case Double number -> number;
      case BigDecimal number -> number;
      case String text when NUMBER.matcher(text).matches() -> Double.valueOf(text);
      default -> throw failed(value);
    };
  }

  private String decimal(Object value) throws CastFailed {
    return switch (value) {
      case Long number -> number.toString();
      case Double number when !number.isNaN() && !number.isInfinite() ->
          BigDecimal.valueOf(number).toPlainString();
      case BigDecimal number -> number.toPlainString();
      case String text when NUMBER.matcher(text).matches() -> new BigDecimal(text).toPlainString();
      default -> throw failed(value);
    };
  }

  private String matching(Object value, Pattern form) throws CastFailed {
    if (value instanceof String text && form.matcher(text).matches()) {
      return text;
    }
    throw failed(value);
  }

  private String hex(Object value, int bytes) throws CastFailed {
    String text = matching(value, HEX);
    if (bytes >= 0 && text.length() != 2 + 2 * bytes) {
      throw new CastFailed(word() + " has " + bytes + " bytes, got " + (text.length() - 2) / 2);
    }
    return text;
  }
}
