package dev.damask.expression;

import dev.damask.expression.Tree.Operator;
import dev.damask.task.Bytes;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What the operators do to values, exactly as the expression library does it. A refusal is a
/// [Refused] that says why; the caller knows where.
final class Operations {
  /// How long a text or a list may become in an expression, and how many parts its value may have.
  static final int SIZE_MAX = 1 << 20;

  private Operations() {}

  /// An operator does not know its operands, or its result does not exist.
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message, null, false, false);
    }
  }

  /// The form in which a value takes part in an expression: a decimal is its nearest double.
  static @Nullable Object operand(@Nullable Object value) {
    return value instanceof BigDecimal number ? (Object) number.doubleValue() : value;
  }

  static @Nullable Object binary(Operator operator, @Nullable Object left, @Nullable Object right)
      throws Refused {
    return switch (operator) {
      case ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO -> arithmetic(operator, left, right);
      case EQUAL -> equal(left, right);
      case NOT_EQUAL -> !equal(left, right);
      case LESS, LESS_EQUAL, GREATER, GREATER_EQUAL -> ordered(operator, left, right);
      case IN -> isIn(left, right);
      case CONTAINS, STARTS_WITH, ENDS_WITH -> textTest(operator, left, right);
      case NOT, NEGATE, SIZE, INT, DOUBLE, STRING, BOOL, DYN ->
          throw new IllegalStateException(operator + " takes one operand");
    };
  }

  private static Object arithmetic(Operator operator, @Nullable Object left, @Nullable Object right)
      throws Refused {
    if (left instanceof Long a && right instanceof Long b) {
      return whole(operator, a, b);
    }
    if (left instanceof Double a && right instanceof Double b && operator != Operator.MODULO) {
      return real(operator, a, b);
    }
    if (operator == Operator.ADD) {
      if (left instanceof String a && right instanceof String b) {
        requireSmall("a text", "characters", (long) a.length() + b.length());
        return a.concat(b);
      }
      if (left instanceof List<?> a && right instanceof List<?> b) {
        requireSmall("a list", "items", (long) a.size() + b.size());
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

  /// What is joined again and again grows as fast as powers of two do.
  private static void requireSmall(String what, String units, long size) throws Refused {
    if (size > SIZE_MAX) {
      throw new Refused(
          "%s in an expression has at most %d %s, this one would have %d"
              .formatted(what, SIZE_MAX, units, size));
    }
  }

  /// Whether a value, with each part counted as often as it is in it, has few enough parts. Parts
  /// may be shared, so a small expression can stand for a value that nobody could write down.
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

  /// Numbers of different kinds are equal when they are the same double; other kinds never are.
  static boolean equal(@Nullable Object left, @Nullable Object right) {
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
    if (a instanceof List<?> x && b instanceof List<?> y) {
      return equalLists(x, y);
    }
    if (a instanceof Map<?, ?> x && b instanceof Map<?, ?> y) {
      return equalMaps(x, y);
    }
    return a.equals(b);
  }

  private static boolean equalLists(List<?> a, List<?> b) {
    if (a.size() != b.size()) {
      return false;
    }
    for (int i = 0; i < a.size(); i++) {
      if (!equal(a.get(i), b.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean equalMaps(Map<?, ?> a, Map<?, ?> b) {
    if (a.size() != b.size()) {
      return false;
    }
    for (Map.Entry<?, ?> entry : a.entrySet()) {
      if (!b.containsKey(entry.getKey()) || !equal(entry.getValue(), b.get(entry.getKey()))) {
        return false;
      }
    }
    return true;
  }

  private static boolean ordered(Operator operator, @Nullable Object left, @Nullable Object right)
      throws Refused {
    if (left instanceof Double a && right instanceof Double b) {
      return switch (operator) {
        case LESS -> a < b;
        case LESS_EQUAL -> a <= b;
        case GREATER -> a > b;
        default -> a >= b;
      };
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

  private static boolean isIn(@Nullable Object left, @Nullable Object right) throws Refused {
    if (right instanceof Map<?, ?> map) {
      return left instanceof String && map.containsKey(left);
    }
    if (right instanceof List<?> list) {
      for (Object item : list) {
        // The library looks for the same value first, so a NaN is found.
        if (equal(left, item) || (left instanceof Double && left.equals(operand(item)))) {
          return true;
        }
      }
      return false;
    }
    throw mismatch(Operator.IN, left, right);
  }

  private static boolean textTest(Operator operator, @Nullable Object left, @Nullable Object right)
      throws Refused {
    if (!(left instanceof String text && right instanceof String part)) {
      throw mismatch(operator, left, right);
    }
    return switch (operator) {
      case CONTAINS -> text.contains(part);
      case STARTS_WITH -> text.startsWith(part);
      default -> text.endsWith(part);
    };
  }

  private static Refused mismatch(
      Operator operator, @Nullable Object left, @Nullable Object right) {
    return new Refused(
        "'" + operator.text() + "' does not know " + kind(left) + " and " + kind(right));
  }

  /// The name of the kind of a value, for messages.
  static String kind(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Long number -> "int";
      case Double number -> "double";
      case String text -> "string";
      case Boolean flag -> "bool";
      case Bytes bytes -> "bytes";
      case List<?> list -> "list";
      case Map<?, ?> map -> "map";
      default -> value.getClass().getSimpleName();
    };
  }
}
