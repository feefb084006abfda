package dev.damask.expression;

import static dev.damask.expression.Type.Simple.BOOL;
import static dev.damask.expression.Type.Simple.BYTES;
import static dev.damask.expression.Type.Simple.DOUBLE;
import static dev.damask.expression.Type.Simple.DURATION;
import static dev.damask.expression.Type.Simple.DYN;
import static dev.damask.expression.Type.Simple.INT;
import static dev.damask.expression.Type.Simple.STRING;
import static dev.damask.expression.Type.Simple.TIMESTAMP;
import static dev.damask.expression.Type.Simple.UINT;

import dev.damask.expression.Tree.Operator;
import dev.damask.expression.Type.ListOf;
import dev.damask.expression.Type.MapOf;
import dev.damask.expression.Type.Open;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// One signature of an operator: the types of its operands and of its result. The order of the
/// overloads of an operator matters, because the first that fits decides on open types.
record Overload(List<Type> operands, Type result) {
  /// An arbitrary type, the same at every place in one overload.
  private static final Open A = new Open(-1);

  private static final Open B = new Open(-2);
  private static final Type LIST = new ListOf(A);
  private static final Type MAP = new MapOf(A, B);

  static final List<Overload> LOGIC = List.of(of(BOOL, BOOL, BOOL));
  static final List<Overload> NOT_FALSE = List.of(of(BOOL, BOOL));
  static final List<Overload> CONDITIONAL = List.of(of(A, BOOL, A, A));
  static final List<Overload> INDEX = List.of(of(A, LIST, INT), of(B, MAP, A));

  /// The result is a number of the front end, whose type the language does not know.
  static final List<Overload> UNSIGNED =
      List.of(of(DYN, UINT), of(DYN, INT), of(DYN, DOUBLE), of(DYN, STRING));

  private static final Map<Operator, List<Overload>> OPERATORS = operators();

  static List<Overload> of(Operator operator) {
    return OPERATORS.getOrDefault(operator, List.of());
  }

  private static Overload of(Type result, Type... operands) {
    return new Overload(List.of(operands), result);
  }

  private static Map<Operator, List<Overload>> operators() {
    Map<Operator, List<Overload>> table = new EnumMap<>(Operator.class);
    table.put(Operator.NOT, List.of(of(BOOL, BOOL)));
    table.put(Operator.NEGATE, List.of(of(INT, INT), of(DOUBLE, DOUBLE)));
    table.put(Operator.SIZE, List.of(of(INT, STRING), of(INT, BYTES), of(INT, LIST), of(INT, MAP)));
    table.put(Operator.INT, each(INT, INT, UINT, DOUBLE, STRING, TIMESTAMP));
    table.put(Operator.DOUBLE, each(DOUBLE, DOUBLE, INT, UINT, STRING));
    table.put(
        Operator.STRING, each(STRING, STRING, INT, UINT, DOUBLE, BOOL, BYTES, TIMESTAMP, DURATION));
    table.put(Operator.BOOL, each(BOOL, BOOL, STRING));
    table.put(Operator.BYTES, each(BYTES, BYTES, STRING));
    table.put(Operator.DYN, List.of(of(DYN, A)));
    table.put(
        Operator.ADD,
        List.of(
            of(INT, INT, INT),
            of(UINT, UINT, UINT),
            of(DOUBLE, DOUBLE, DOUBLE),
            of(STRING, STRING, STRING),
            of(BYTES, BYTES, BYTES),
            of(LIST, LIST, LIST),
            of(TIMESTAMP, TIMESTAMP, DURATION),
            of(TIMESTAMP, DURATION, TIMESTAMP),
            of(DURATION, DURATION, DURATION)));
    table.put(
        Operator.SUBTRACT,
        List.of(
            of(INT, INT, INT),
            of(UINT, UINT, UINT),
            of(DOUBLE, DOUBLE, DOUBLE),
            of(DURATION, TIMESTAMP, TIMESTAMP),
            of(TIMESTAMP, TIMESTAMP, DURATION),
            of(DURATION, DURATION, DURATION)));
    List<Overload> products =
        List.of(of(INT, INT, INT), of(UINT, UINT, UINT), of(DOUBLE, DOUBLE, DOUBLE));
    table.put(Operator.MULTIPLY, products);
    table.put(Operator.DIVIDE, products);
    table.put(Operator.MODULO, products.subList(0, 2));
    table.put(Operator.EQUAL, List.of(of(BOOL, A, A)));
    table.put(Operator.NOT_EQUAL, List.of(of(BOOL, A, A)));
    for (Operator order :
        List.of(Operator.LESS, Operator.LESS_EQUAL, Operator.GREATER, Operator.GREATER_EQUAL)) {
      table.put(order, orders());
    }
    table.put(Operator.IN, List.of(of(BOOL, A, LIST), of(BOOL, A, MAP)));
    for (Operator test :
        List.of(Operator.CONTAINS, Operator.STARTS_WITH, Operator.ENDS_WITH, Operator.MATCHES)) {
      table.put(test, List.of(of(BOOL, STRING, STRING)));
    }
    return table;
  }

  /// Returns a conversion from each of these types.
  private static List<Overload> each(Type result, Type... operands) {
    List<Overload> overloads = new ArrayList<>();
    for (Type operand : operands) {
      overloads.add(of(result, operand));
    }
    return overloads;
  }

  /// Returns the overloads of comparisons: values of one type are ordered, and so are all numbers.
  private static List<Overload> orders() {
    List<Overload> overloads = new ArrayList<>();
    for (Type type : List.of(BOOL, INT, UINT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION)) {
      overloads.add(of(BOOL, type, type));
    }
    overloads.add(of(BOOL, INT, UINT));
    overloads.add(of(BOOL, UINT, INT));
    overloads.add(of(BOOL, INT, DOUBLE));
    overloads.add(of(BOOL, DOUBLE, INT));
    overloads.add(of(BOOL, UINT, DOUBLE));
    overloads.add(of(BOOL, DOUBLE, UINT));
    return overloads;
  }

  /// Returns a copy with fresh open types in place of `A` and `B`.
  Overload fresh(Inference inference) {
    boolean isPlain = operands.stream().allMatch(Type.Simple.class::isInstance);
    if (isPlain) {
      return this;
    }
    Open a = inference.open();
    Open b = inference.open();
    return new Overload(
        operands.stream().map(type -> replaced(type, a, b)).toList(), replaced(result, a, b));
  }

  private static Type replaced(Type type, Open a, Open b) {
    return switch (type) {
      case Open open -> open.equals(A) ? a : b;
      case ListOf(var item) -> new ListOf(replaced(item, a, b));
      case MapOf(var key, var value) -> new MapOf(replaced(key, a, b), replaced(value, a, b));
      case Type.Simple simple -> simple;
    };
  }
}
