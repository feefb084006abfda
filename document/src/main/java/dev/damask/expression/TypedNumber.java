package dev.damask.expression;

import dev.damask.expression.BinaryOperators.Refused;
import dev.damask.expression.Tree.Operator;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A number of a declared type inside an expression. Numbers of one type are compared and
/// calculated exactly; a result outside the range of the type is rejected. Outside expressions such
/// a number has the form of its type: `uint64` a long or a decimal, all others decimal digits.
public record TypedNumber(NumberType type, BigDecimal value) {
  /// The maximum number of digits of a decimal, before and after its point.
  private static final int DIGITS_MAX = 1_000;

  /// Converts a context value to a number of a type. Returns the value itself if it is not such a
  /// number.
  public static @Nullable Object of(NumberType type, @Nullable Object value) {
    BigDecimal number =
        switch (value) {
          case Long whole -> BigDecimal.valueOf(whole);
          case Double real when !real.isNaN() && !real.isInfinite() -> new BigDecimal(real);
          case BigDecimal decimal -> decimal;
          case String text -> read(text);
          case null, default -> null;
        };
    if (number == null || (type.isWhole() && number.stripTrailingZeros().scale() > 0)) {
      return value;
    }
    return new TypedNumber(type, number);
  }

  private static @Nullable BigDecimal read(String text) {
    try {
      return text.length() > 2 * DIGITS_MAX ? null : new BigDecimal(text);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  TypedNumber calculate(Operator operator, BigDecimal other) throws Refused {
    boolean divides = operator == Operator.DIVIDE || operator == Operator.MODULO;
    if (divides && other.signum() == 0) {
      throw new Refused("division by zero");
    }
    if (type == NumberType.DECIMAL) {
      return decimal(operator, other);
    }
    BigInteger a = value.toBigIntegerExact();
    BigInteger b = other.toBigIntegerExact();
    BigInteger result =
        switch (operator) {
          case ADD -> a.add(b);
          case SUBTRACT -> a.subtract(b);
          case MULTIPLY -> a.multiply(b);
          case DIVIDE -> a.divide(b);
          default -> a.remainder(b);
        };
    if (!type.holds(result)) {
      throw new Refused(
          a + " " + operator.text() + " " + b + " is out of the range of " + type.word());
    }
    return new TypedNumber(type, new BigDecimal(result));
  }

  private TypedNumber decimal(Operator operator, BigDecimal other) throws Refused {
    BigDecimal result =
        switch (operator) {
          case ADD -> value.add(other);
          case SUBTRACT -> value.subtract(other);
          case MULTIPLY -> value.multiply(other);
          case DIVIDE -> value.divide(other, MathContext.DECIMAL128);
          default -> throw new Refused("'" + operator.text() + "' is not defined for decimal");
        };
    if (result.precision() > DIGITS_MAX || Math.abs((long) result.scale()) > DIGITS_MAX) {
      throw new Refused("a decimal in an expression must have at most " + DIGITS_MAX + " digits");
    }
    return new TypedNumber(type, result);
  }

  TypedNumber negated() throws Refused {
    if (type.isWhole() && !type.holds(value.toBigIntegerExact().negate())) {
      throw new Refused("-(" + text() + ") is out of the range of " + type.word());
    }
    return new TypedNumber(type, value.negate());
  }

  String text() {
    return value.stripTrailingZeros().scale() <= 0 && type.isWhole()
        ? value.toBigInteger().toString()
        : value.toPlainString();
  }

  /// Returns the number as functions receive it.
  Object plain() {
    boolean isLong = type.isWhole() && value.toBigInteger().bitLength() < Long.SIZE;
    return isLong ? (Object) value.toBigInteger().longValueExact() : value;
  }

  /// Returns a value in which every number of a declared type has its context form.
  static @Nullable Object outside(@Nullable Object value) {
    return isInside(value) ? converted(value) : value;
  }

  private static boolean isInside(@Nullable Object value) {
    return switch (value) {
      case TypedNumber number -> true;
      case List<?> items -> items.stream().anyMatch(TypedNumber::isInside);
      case Map<?, ?> map -> map.values().stream().anyMatch(TypedNumber::isInside);
      case null, default -> false;
    };
  }

  private static @Nullable Object converted(@Nullable Object value) {
    return switch (value) {
      case TypedNumber number ->
          number.type == NumberType.UINT64 ? number.plain() : (Object) number.text();
      case List<?> items -> {
        List<@Nullable Object> copy = new ArrayList<>(items.size());
        items.forEach(item -> copy.add(converted(item)));
        yield copy;
      }
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> copy = new LinkedHashMap<>();
        map.forEach((key, entry) -> copy.put(String.valueOf(key), converted(entry)));
        yield copy;
      }
      case null, default -> value;
    };
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TypedNumber(var otherType, var number)
        && otherType == type
        && number.compareTo(value) == 0;
  }

  @Override
  public int hashCode() {
    return value.stripTrailingZeros().hashCode();
  }

  @Override
  public String toString() {
    return text();
  }
}
