package dev.damask.expression;

import dev.damask.expression.BinaryOperators.Refused;
import dev.damask.expression.Tree.Operator;
import dev.damask.value.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The functions of one operand: signs, sizes and conversions.
final class Conversions {
  private static final double TWO_TO_63 = 0x1p63;

  private Conversions() {}

  static @Nullable Object unary(Operator operator, @Nullable Object value) throws Refused {
    return switch (operator) {
      case NOT -> {
        if (value instanceof Boolean flag) {
          yield !flag;
        }
        throw unknown(operator, value);
      }
      case NEGATE -> negate(value);
      case SIZE -> size(value);
      case INT -> toInt(value);
      case DOUBLE -> toDouble(value);
      case STRING -> toText(value);
      case BOOL -> toBool(value);
      case BYTES -> toBytes(value);
      case DYN -> value;
      default -> throw new IllegalStateException(operator + " requires two operands");
    };
  }

  private static Object negate(@Nullable Object value) throws Refused {
    if (value instanceof Long number) {
      if (number == Long.MIN_VALUE) {
        throw new Refused("-(" + number + ") exceeds 64 bits");
      }
      return -number;
    }
    if (value instanceof Double number) {
      return -number;
    }
    if (value instanceof TypedNumber number) {
      return number.negated();
    }
    throw unknown(Operator.NEGATE, value);
  }

  private static Long size(@Nullable Object value) throws Refused {
    return switch (value) {
      case String text -> (long) text.codePointCount(0, text.length());
      case List<?> list -> (long) list.size();
      case Map<?, ?> map -> (long) map.size();
      case Bytes bytes -> (long) bytes.length();
      case null, default -> throw unknown(Operator.SIZE, value);
    };
  }

  private static Long toInt(@Nullable Object value) throws Refused {
    return switch (value) {
      case TypedNumber number -> {
        java.math.BigInteger whole = number.value().toBigInteger();
        if (whole.bitLength() < Long.SIZE) {
          yield whole.longValueExact();
        }
        throw new Refused(number + " is out of the range of int");
      }
      case Long number -> number;
      case Double number -> {
        if (number > -TWO_TO_63 && number < TWO_TO_63) {
          yield number.longValue();
        }
        throw new Refused(number + " is out of the range of int");
      }
      case String text -> {
        try {
          yield Long.parseLong(text);
        } catch (NumberFormatException e) {
          throw unreadable(text, "an int");
        }
      }
      case null, default -> throw unknown(Operator.INT, value);
    };
  }

  private static Double toDouble(@Nullable Object value) throws Refused {
    return switch (value) {
      case TypedNumber number -> number.value().doubleValue();
      case Long number -> number.doubleValue();
      case Double number -> number;
      case String text -> {
        try {
          yield Double.parseDouble(text);
        } catch (NumberFormatException e) {
          throw unreadable(text, "a double");
        }
      }
      case null, default -> throw unknown(Operator.DOUBLE, value);
    };
  }

  private static String toText(@Nullable Object value) throws Refused {
    return switch (value) {
      case TypedNumber number -> number.text();
      case String text -> text;
      case Long number -> number.toString();
      case Double number -> number.toString();
      case Boolean flag -> flag.toString();
      case Bytes bytes -> {
        try {
          ByteBuffer content = ByteBuffer.wrap(bytes.toArray());
          yield StandardCharsets.UTF_8.newDecoder().decode(content).toString();
        } catch (CharacterCodingException e) {
          throw new Refused("the bytes are not valid UTF-8");
        }
      }
      case null, default -> throw unknown(Operator.STRING, value);
    };
  }

  private static Boolean toBool(@Nullable Object value) throws Refused {
    return switch (value) {
      case Boolean flag -> flag;
      case String text ->
          switch (text) {
            case "true", "TRUE", "True", "t", "1" -> true;
            case "false", "FALSE", "False", "f", "0" -> false;
            default -> throw unreadable(text, "a bool");
          };
      case null, default -> throw unknown(Operator.BOOL, value);
    };
  }

  private static Bytes toBytes(@Nullable Object value) throws Refused {
    return switch (value) {
      case Bytes bytes -> bytes;
      case String text -> Bytes.of(text.getBytes(StandardCharsets.UTF_8));
      case null, default -> throw unknown(Operator.BYTES, value);
    };
  }

  private static Refused unknown(Operator operator, @Nullable Object value) {
    return new Refused(
        "'" + operator.text() + "' is not defined for " + BinaryOperators.kind(value));
  }

  private static Refused unreadable(String text, String kind) {
    String shown = text.length() <= 40 ? text : text.substring(0, 40) + "…";
    return new Refused("'" + shown + "' is not " + kind);
  }
}
