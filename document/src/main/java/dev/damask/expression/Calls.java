package dev.damask.expression;

import dev.damask.expression.Tree.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The functions that an expression may call: those of the language and those of a front end. A
/// front end's function takes precedence.
final class Calls {
  private static final Map<String, Operator> CONVERSIONS =
      Map.of(
          "int", Operator.INT,
          "double", Operator.DOUBLE,
          "string", Operator.STRING,
          "bool", Operator.BOOL,
          "bytes", Operator.BYTES,
          "dyn", Operator.DYN);

  private static final Map<String, Operator> TESTS =
      Map.of(
          "contains", Operator.CONTAINS,
          "startsWith", Operator.STARTS_WITH,
          "endsWith", Operator.ENDS_WITH);

  private static final String SIZE = "size";
  private static final String MATCHES = "matches";

  private final Source source;
  private final Functions functions;

  Calls(Source source, Functions functions) {
    this.source = source;
    this.functions = functions;
  }

  /// Creates a call such as `size(list)`.
  Tree global(int position, String name, List<Tree> values) {
    Functions.Function function = functions.find(name, values.size());
    if (function != null) {
      return new Tree.Call(position, name, function, values);
    }
    Operator conversion = name.equals(SIZE) ? Operator.SIZE : CONVERSIONS.get(name);
    if (conversion != null && values.size() == 1) {
      return new Tree.Unary(position, conversion, values.getFirst());
    }
    if (name.equals(MATCHES) && values.size() == 2) {
      return new Tree.Binary(position, Operator.MATCHES, values.get(0), values.get(1));
    }
    throw unknown(position, name);
  }

  /// Creates a call such as `list.size()`.
  Tree member(int position, String name, Tree target, List<Tree> values) {
    List<Tree> all = new ArrayList<>(values.size() + 1);
    all.add(target);
    all.addAll(values);
    Functions.Function function = functions.find(name, all.size());
    if (function != null) {
      return new Tree.Call(position, name, function, all);
    }
    if (name.equals(SIZE) && values.isEmpty()) {
      return new Tree.Unary(position, Operator.SIZE, target);
    }
    Operator test = name.equals(MATCHES) ? Operator.MATCHES : TESTS.get(name);
    if (test != null && values.size() == 1) {
      return new Tree.Binary(position, test, target, values.getFirst());
    }
    throw unknown(position, name);
  }

  private InvalidExpression unknown(int position, String name) {
    boolean isKnown =
        CONVERSIONS.containsKey(name)
            || TESTS.containsKey(name)
            || name.equals(SIZE)
            || name.equals(MATCHES)
            || functions.table().containsKey(name);
    return source.invalid(
        position,
        isKnown
            ? "the function '" + name + "' cannot be called this way"
            : "unknown function '" + name + "'");
  }
}
