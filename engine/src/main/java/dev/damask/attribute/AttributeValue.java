package dev.damask.attribute;

import dev.damask.term.Attribute;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A value that cases can be found by. Values of one type are ordered; values of different types
/// are never equal.
public sealed interface AttributeValue {
  /// How many bytes of UTF-8 a string may have.
  int TEXT_BYTES_MAX = 512;

  /// How many significant digits a number may have.
  int DIGITS_MAX = 100;

  /// How far the point of a number may lie from its digits.
  int SCALE_MAX = 10_000;

  /// How many nanoseconds a second has.
  int NANOS = 1_000_000_000;

  /// The numbers of the types, as records and index keys have them.
  int FLAG = 1;

  int NUMBER = 2;
  int TEXT = 3;
  int TIME = 4;

  /// The number of its type.
  int type();

  /// The value as plain data: a string, a number, a boolean or a time in ISO form.
  Object plain();

  /// A string, or a value that is written as one.
  record Text(String value) implements AttributeValue {
    public Text {
      if (value.indexOf(0) >= 0) {
        throw new IllegalArgumentException("a string must not contain U+0000");
      }
      if (!StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
        throw new IllegalArgumentException("a string must not contain an unpaired surrogate");
      }
      int bytes = value.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > TEXT_BYTES_MAX) {
        throw new IllegalArgumentException(
            "a string has at most %d bytes, got %d".formatted(TEXT_BYTES_MAX, bytes));
      }
    }

    @Override
    public int type() {
      return TEXT;
    }

    @Override
    public Object plain() {
      return value;
    }
  }

  /// A number. Its scale does not count: 20.00 is 20.
  record Decimal(BigDecimal value) implements AttributeValue {
    public Decimal {
      value = value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
      if (Math.abs((long) value.scale()) > SCALE_MAX) {
        throw new IllegalArgumentException(
            "a number has an exponent of at most %d, got %d"
                .formatted(SCALE_MAX, -(long) value.scale()));
      }
      if (value.precision() > DIGITS_MAX) {
        throw new IllegalArgumentException(
            "a number has at most %d digits, got %d".formatted(DIGITS_MAX, value.precision()));
      }
    }

    @Override
    public int type() {
      return NUMBER;
    }

    /// A whole number of ordinary size has no exponent.
    @Override
    public Object plain() {
      return value.scale() < 0 && value.scale() >= -DIGITS_MAX ? value.setScale(0) : value;
    }
  }

  /// True or false.
  record Flag(boolean value) implements AttributeValue {
    @Override
    public int type() {
      return FLAG;
    }

    @Override
    public Object plain() {
      return value;
    }
  }

  /// A point in time.
  record Time(Instant value) implements AttributeValue {
    @Override
    public int type() {
      return TIME;
    }

    @Override
    public Object plain() {
      return value.toString();
    }
  }

  /// Returns the value that stands for an object. Throws `IllegalArgumentException` if the object
  /// is not a string, a number, a boolean, an enum, a time, a date or a UUID, or is over a limit.
  static AttributeValue of(Object value) {
    return switch (value) {
      case AttributeValue same -> same;
      case String text -> new Text(text);
      case Boolean flag -> new Flag(flag);
      case BigDecimal number -> new Decimal(number);
      case BigInteger number -> new Decimal(new BigDecimal(number));
      case Long number -> new Decimal(BigDecimal.valueOf(number));
      case Integer number -> new Decimal(BigDecimal.valueOf(number));
      case Short number -> new Decimal(BigDecimal.valueOf(number));
      case Byte number -> new Decimal(BigDecimal.valueOf(number));
      case Double number -> decimal(number);
      case Float number -> decimal(number.doubleValue());
      case Enum<?> constant -> new Text(constant.name());
      case Instant time -> new Time(time);
      case OffsetDateTime time -> new Time(time.toInstant());
      case ZonedDateTime time -> new Time(time.toInstant());
      case LocalDate date -> new Text(date.toString());
      case LocalDateTime time -> new Text(time.toString());
      case UUID id -> new Text(id.toString());
      default ->
          throw new IllegalArgumentException(
              "an attribute is a string, a number, a boolean, an enum, a time, a date or a UUID,"
                  + " got "
                  + kind(value));
    };
  }

  private static String kind(Object value) {
    return switch (value) {
      case java.util.Collection<?> _ -> "a list";
      case java.util.Map<?, ?> _ -> "an object";
      default -> value.getClass().getName();
    };
  }

  /// Returns the value of a declared type that stands for an object. Throws
  /// `IllegalArgumentException` as [#of(Object)] does, and if the type is another one.
  static AttributeValue of(Attribute.Type type, Object value) {
    if (type == Attribute.Type.TIME && value instanceof String text) {
      return new Time(time(text));
    }
    AttributeValue found = of(value);
    if (found instanceof Text(var text) && text.indexOf(0) >= 0) {
      throw new IllegalArgumentException("an attribute must not contain U+0000");
    }
    boolean fits =
        switch (type) {
          case ANY -> true;
          case TEXT -> found.type() == TEXT;
          case NUMBER -> found.type() == NUMBER;
          case FLAG -> found.type() == FLAG;
          case TIME -> found.type() == TIME;
        };
    if (!fits) {
      throw new IllegalArgumentException(
          "the declared type is %s, got %s %s"
              .formatted(word(type), word(found), shown(found.plain())));
    }
    return found;
  }

  private static Instant time(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "the declared type is time, got '" + shown(text) + "'; write it as 2026-11-15T10:00:00Z");
    }
  }

  private static String shown(Object value) {
    String text = String.valueOf(value);
    return text.length() > 60 ? text.substring(0, 60) + "…" : text;
  }

  private static String word(Attribute.Type type) {
    return type.name().toLowerCase(Locale.ROOT);
  }

  private static String word(AttributeValue value) {
    return switch (value) {
      case Text _ -> "text";
      case Decimal _ -> "number";
      case Flag _ -> "flag";
      case Time _ -> "time";
    };
  }

  private static AttributeValue decimal(double number) {
    if (!Double.isFinite(number)) {
      throw new IllegalArgumentException("a number must be finite, got " + number);
    }
    return new Decimal(BigDecimal.valueOf(number));
  }

  /// Writes the value so that [#read] reads it.
  default void write(Encoder out) {
    out.octet(type());
    switch (this) {
      case Text(var text) -> out.text(text);
      case Decimal(var number) -> out.value(number);
      case Flag(var flag) -> out.flag(flag);
      case Time(var time) -> {
        out.whole(time.getEpochSecond());
        out.natural(time.getNano());
      }
    }
  }

  /// Reads a value. Throws `DamagedBytes` if the bytes are not those of a value.
  static AttributeValue read(Decoder in) {
    int type = in.octet();
    try {
      return switch (type) {
        case TEXT -> new Text(in.text());
        case NUMBER -> new Decimal(number(in));
        case FLAG -> new Flag(in.flag());
        case TIME -> new Time(Instant.ofEpochSecond(in.whole(), in.below(NANOS)));
        default -> throw in.damaged("an attribute has no type " + type);
      };
    } catch (IllegalArgumentException | java.time.DateTimeException e) {
      throw in.damaged("an attribute is not valid: " + e.getMessage());
    }
  }

  private static BigDecimal number(Decoder in) {
    @Nullable Object value = in.value();
    return switch (value) {
      case BigDecimal number -> number;
      case Long number -> BigDecimal.valueOf(number);
      case null, default -> throw in.damaged("an attribute has no number");
    };
  }
}
