package dev.damask.expression;

import dev.damask.expression.Tree.Operator;
import dev.damask.value.Bytes;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The operators on values. A failure is a [Refused] with the cause; the caller adds the position.
final class BinaryOperators {
  /// The maximum length of a string or a list in an expression, and the maximum number of parts of
  /// its value.
  static final int SIZE_MAX = 1 << 20;

  /// The number of character comparisons that count as one part.
  private static final int SEARCHED_AT_ONCE = 16;

  private BinaryOperators() {}

  /// Thrown when an operator is not defined for its operands or has no result.
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message, null, false, false);
    }
  }

  /// Returns a value as an operand: a decimal becomes its nearest double.
  static @Nullable Object operand(@Nullable Object value) {
    return value instanceof BigDecimal number ? (Object) number.doubleValue() : value;
  }

  static @Nullable Object binary(
      Operator operator, @Nullable Object left, @Nullable Object right, Work work) throws Refused {
    return switch (operator) {
      case ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO -> arithmetic(operator, left, right, work);
      case EQUAL -> isEqual(operator, left, right, work);
      case NOT_EQUAL -> !isEqual(operator, left, right, work);
      case LESS, LESS_EQUAL, GREATER, GREATER_EQUAL -> ordered(operator, left, right, work);
      case IN -> isIn(left, right, work);
      case CONTAINS, STARTS_WITH, ENDS_WITH -> textTest(operator, left, right, work);
      case MATCHES -> matches(left, right, work);
      case NOT, NEGATE, SIZE, INT, DOUBLE, STRING, BOOL, BYTES, DYN ->
          throw new IllegalStateException(operator + " requires one operand");
    };
  }

  private static Object arithmetic(
      Operator operator, @Nullable Object left, @Nullable Object right, Work work) throws Refused {
    if (left instanceof TypedNumber a && right instanceof TypedNumber b && a.type() == b.type()) {
      return a.calculate(operator, b.value());
    }
    if (left instanceof Long a && right instanceof Long b) {
      return whole(operator, a, b);
    }
    if (left instanceof Double a && right instanceof Double b && operator != Operator.MODULO) {
      return real(operator, a, b);
    }
    if (operator == Operator.ADD) {
      if (left instanceof String a && right instanceof String b) {
        requireSmall("a string", "characters", (long) a.length() + b.length());
        work.create((long) a.length() + b.length());
        return a.concat(b);
      }
      if (left instanceof List<?> a && right instanceof List<?> b) {
        requireSmall("a list", "items", (long) a.size() + b.size());
        work.create(2L * (a.size() + b.size()));
        List<@Nullable Object> both = new ArrayList<>(a.size() + b.size());
        both.addAll(a);
        both.addAll(b);
        return Collections.unmodifiableList(both);
      }
      if (left instanceof Bytes a && right instanceof Bytes b) {
        requireSmall("a value", "bytes", (long) a.length() + b.length());
        byte[] both = java.util.Arrays.copyOf(a.toArray(), a.length() + b.length());
        System.arraycopy(b.toArray(), 0, both, a.length(), b.length());
        return Bytes.of(both);
      }
    }
    throw mismatch(operator, left, right);
  }

  /// Throws if a value is too large, because repeated concatenation grows exponentially.
  private static void requireSmall(String what, String units, long size) throws Refused {
    if (size > SIZE_MAX) {
      throw new Refused(
          "%s in an expression must have at most %d %s, this one would have %d"
              .formatted(what, SIZE_MAX, units, size));
    }
  }

  /// Returns whether a value has at most the maximum number of parts, counting shared parts every
  /// time. With shared parts, a small expression can produce an extremely large value.
  static boolean isSmall(@Nullable Object value) {
    Deque<Object> left = new ArrayDeque<>();
    push(left, value);
    int parts = 0;
    while (!left.isEmpty()) {
      Object each = left.pop();
      Collection<?> inner = each instanceof Map<?, ?> map ? map.values() : (List<?>) each;
      parts += inner.size();
      if (parts > SIZE_MAX) {
        return false;
      }
      inner.forEach(part -> push(left, part));
    }
    return true;
  }

  private static void push(Deque<Object> left, @Nullable Object value) {
    if (value instanceof List<?> || value instanceof Map<?, ?>) {
      left.push(value);
    }
  }

  private static Long whole(Operator operator, long a, long b) throws Refused {
    try {
      return switch (operator) {
        case ADD -> Math.addExact(a, b);
        case SUBTRACT -> Math.subtractExact(a, b);
        case MULTIPLY -> Math.multiplyExact(a, b);
        case DIVIDE -> Math.divideExact(a, b);
        default -> a % b;
      };
    } catch (ArithmeticException e) {
      if (b == 0 && (operator == Operator.DIVIDE || operator == Operator.MODULO)) {
        throw new Refused("division by zero");
      }
      throw new Refused(a + " " + operator.text() + " " + b + " exceeds 64 bits");
    }
  }

  private static Double real(Operator operator, double a, double b) {
    return switch (operator) {
      case ADD -> a + b;
      case SUBTRACT -> a - b;
      case MULTIPLY -> a * b;
      default -> a / b;
    };
  }

  /// Compares numbers of declared types, which are equal only to numbers of the same type.
  private static boolean isEqual(
      Operator operator, @Nullable Object left, @Nullable Object right, Work work) throws Refused {
    refuseMixed(operator, left, right);
    return equal(left, right, work);
  }

  private static void refuseMixed(Operator operator, @Nullable Object left, @Nullable Object right)
      throws Refused {
    boolean isTyped = left instanceof TypedNumber || right instanceof TypedNumber;
    if (isTyped && left != null && right != null && !kind(left).equals(kind(right))) {
      throw mismatch(operator, left, right);
    }
  }

  /// Returns whether two values are equal. Numbers of different kinds are equal if they are the
  /// same double; values of other different kinds are not equal.
  static boolean equal(@Nullable Object left, @Nullable Object right, Work work) throws Refused {
    work.charge(1);
    Object a = operand(left);
    Object b = operand(right);
    if (a == null || b == null) {
      return a == b;
    }
    if (a instanceof Double x && b instanceof Double y) {
      return x.doubleValue() == y.doubleValue();
    }
    if (a instanceof Long x && b instanceof Double y) {
      return Double.compare(x, y) == 0;
    }
    if (a instanceof Double x && b instanceof Long y) {
      return Double.compare(x, y) == 0;
    }
    if (a instanceof TypedNumber x && b instanceof Long y) {
      return isSame(x, y); // an element of a list
    }
    if (a instanceof Long x && b instanceof TypedNumber y) {
      return isSame(y, x);
    }
    refuseMixed(Operator.EQUAL, a, b);
    if (a instanceof List<?> x && b instanceof List<?> y) {
      return equalLists(x, y, work);
    }
    if (a instanceof Map<?, ?> x && b instanceof Map<?, ?> y) {
      return equalMaps(x, y, work);
    }
    if (a instanceof String x) {
      work.charge(x);
    }
    return a.equals(b);
  }

  private static boolean isSame(TypedNumber number, long whole) {
    return number.value().compareTo(BigDecimal.valueOf(whole)) == 0;
  }

  private static boolean equalLists(List<?> a, List<?> b, Work work) throws Refused {
    if (a.size() != b.size()) {
      return false;
    }
    for (int i = 0; i < a.size(); i++) {
      if (!equal(a.get(i), b.get(i), work)) {
        return false;
      }
    }
    return true;
  }

  private static boolean equalMaps(Map<?, ?> a, Map<?, ?> b, Work work) throws Refused {
    if (a.size() != b.size()) {
      return false;
    }
    for (Map.Entry<?, ?> entry : a.entrySet()) {
      if (!b.containsKey(entry.getKey()) || !equal(entry.getValue(), b.get(entry.getKey()), work)) {
        return false;
      }
    }
    return true;
  }

  private static boolean ordered(
      Operator operator, @Nullable Object left, @Nullable Object right, Work work) throws Refused {
    if (left instanceof Double a && right instanceof Double b) {
      return switch (operator) {
        case LESS -> a < b;
        case LESS_EQUAL -> a <= b;
        case GREATER -> a > b;
        default -> a >= b;
      };
    }
    if (left instanceof String text) {
      work.charge(text);
    }
    int order = order(operator, left, right);
    return switch (operator) {
      case LESS -> order < 0;
      case LESS_EQUAL -> order <= 0;
      case GREATER -> order > 0;
      default -> order >= 0;
    };
  }

  private static int order(Operator operator, @Nullable Object left, @Nullable Object right)
      throws Refused {
    if (left instanceof Long a && right instanceof Long b) {
      return Long.compare(a, b);
    }
    if (left instanceof Long a && right instanceof Double b) {
      return Double.compare(a, b);
    }
    if (left instanceof Double a && right instanceof Long b) {
      return Double.compare(a, b);
    }
    if (left instanceof TypedNumber a && right instanceof TypedNumber b && a.type() == b.type()) {
      return a.value().compareTo(b.value());
    }
    if (left instanceof String a && right instanceof String b) {
      return a.compareTo(b);
    }
    if (left instanceof Boolean a && right instanceof Boolean b) {
      return Boolean.compare(a, b);
    }
    if (left instanceof Bytes a && right instanceof Bytes b) {
      return a.compareTo(b);
    }
    throw mismatch(operator, left, right);
  }

  private static boolean isIn(@Nullable Object left, @Nullable Object right, Work work)
      throws Refused {
    if (right instanceof Map<?, ?> map) {
      return left instanceof String && map.containsKey(left);
    }
    if (right instanceof List<?> list) {
      for (Object item : list) {
        // Identical values are compared first, so that NaN is found.
        if (equal(left, item, work) || (left instanceof Double && left.equals(operand(item)))) {
          return true;
        }
      }
      return false;
    }
    throw mismatch(Operator.IN, left, right);
  }

  private static boolean textTest(
      Operator operator, @Nullable Object left, @Nullable Object right, Work work) throws Refused {
    if (!(left instanceof String text && right instanceof String part)) {
      throw mismatch(operator, left, right);
    }
    // In the worst case, a search compares the text at each position of the other.
    work.charge(
        operator == Operator.CONTAINS
            ? 1 + (long) text.length() * part.length() / SEARCHED_AT_ONCE
            : 1 + part.length() / SEARCHED_AT_ONCE);
    return switch (operator) {
      case CONTAINS -> text.contains(part);
      case STARTS_WITH -> text.startsWith(part);
      default -> text.endsWith(part);
    };
  }

  private static boolean matches(@Nullable Object left, @Nullable Object right, Work work)
      throws Refused {
    if (!(right instanceof String pattern)) {
      throw mismatch(Operator.MATCHES, left, right);
    }
    try {
      return matches(left, LinearPattern.of(pattern, work), work);
    } catch (IllegalArgumentException e) {
      throw new Refused(String.valueOf(e.getMessage()));
    }
  }

  static boolean matches(@Nullable Object left, LinearPattern pattern, Work work) throws Refused {
    if (!(left instanceof String text)) {
      throw mismatch(Operator.MATCHES, left, "");
    }
    return pattern.find(text, work);
  }

  private static Refused mismatch(
      Operator operator, @Nullable Object left, @Nullable Object right) {
    return new Refused(
        "'" + operator.text() + "' is not defined for " + kind(left) + " and " + kind(right));
  }

  /// Returns the name of the kind of a value, for messages.
  static String kind(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Long number -> "int";
      case Double number -> "double";
      case String text -> "string";
      case Boolean flag -> "bool";
      case Bytes bytes -> "bytes";
      case TypedNumber number -> number.type().word();
      case List<?> list -> "list";
      case Map<?, ?> map -> "map";
      default -> value.getClass().getSimpleName();
    };
  }
}
