package dev.damask.expression;

import dev.damask.expression.Tree.Operator;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Propagates the declared types of variables through an expression. Literals next to a number of a
/// declared type become numbers of that type. Operands with known types that do not fit are
/// reported before evaluation.
final class Typing {
  /// The result types of some functions.
  private static final Map<String, String> RESULTS =
      Map.of(
          "int64", "int",
          "uint64", "uint64",
          "uint", "uint64",
          "u256", "uint256",
          "uint256", "uint256",
          "abs", "double",
          "pow", "double");

  private final Map<String, String> declared;
  private final List<String> mismatches = new ArrayList<>();

  /// @param declared the types of variables by name: `int`, `double`, `string`, `bool`, or a
  ///   [NumberType]
  Typing(Map<String, String> declared) {
    this.declared = declared;
  }

  /// A tree and the known type of its value; null if unknown.
  private record Typed(Tree tree, @Nullable String type) {}

  List<String> mismatches() {
    return mismatches;
  }

  Tree of(Tree tree) {
    return typed(tree).tree();
  }

  private Typed typed(Tree tree) {
    return switch (tree) {
      case Tree.Constant constant -> new Typed(constant, constantType(constant.value()));
      case Tree.Variable variable -> new Typed(variable, declared.get(variable.name()));
      case Tree.Select(var at, Tree.Whole whole, var field) -> new Typed(tree, declared.get(field));
      case Tree.Select(var at, var operand, var field) ->
          new Typed(new Tree.Select(at, of(operand), field), null);
      case Tree.Index(var at, var operand, var index) ->
          new Typed(new Tree.Index(at, of(operand), of(index)), null);
      case Tree.And(var at, var left, var right) ->
          new Typed(new Tree.And(at, of(left), of(right)), "bool");
      case Tree.Or(var at, var left, var right) ->
          new Typed(new Tree.Or(at, of(left), of(right)), "bool");
      case Tree.Conditional(var at, var condition, var then, var otherwise) -> {
        Typed one = typed(then);
        Typed other = typed(otherwise);
        boolean same = one.type() != null && one.type().equals(other.type());
        yield new Typed(
            new Tree.Conditional(at, of(condition), one.tree(), other.tree()),
            same ? one.type() : null);
      }
      case Tree.Unary(var at, var operator, var operand) -> unary(at, operator, operand);
      case Tree.Binary binary -> binary(binary);
      case Tree.Items(var at, var items) ->
          new Typed(new Tree.Items(at, items.stream().map(this::of).toList()), null);
      case Tree.Entries(var at, var keys, var values) ->
          new Typed(
              new Tree.Entries(
                  at, keys.stream().map(this::of).toList(), values.stream().map(this::of).toList()),
              null);
      case Tree.Call(var at, var name, var function, var operands) ->
          new Typed(
              new Tree.Call(at, name, function, operands.stream().map(this::of).toList()),
              RESULTS.get(name));
      case Tree.Fold(var at, var range, var slots, var init, var body) ->
          new Typed(
              new Tree.Fold(
                  at,
                  of(range),
                  slots,
                  of(init),
                  new Tree.Body(of(body.condition()), of(body.step()), of(body.result()))),
              null);
      case Tree.Append(var at, var slot, var item) ->
          new Typed(new Tree.Append(at, slot, of(item)), null);
      case Tree.NotFalse(var at, var operand) ->
          new Typed(new Tree.NotFalse(at, of(operand)), null);
      case Tree.Has has -> new Typed(has, "bool");
      case Tree.Whole whole -> new Typed(whole, null);
      case Tree.Local local -> new Typed(local, null);
    };
  }

  private static @Nullable String constantType(@Nullable Object value) {
    return value instanceof Long
            || value instanceof Double
            || value instanceof String
            || value instanceof Boolean
        ? BinaryOperators.kind(value)
        : null;
  }

  private Typed unary(int at, Operator operator, Tree operand) {
    Typed inner = typed(operand);
    String type =
        switch (operator) {
          case NOT, BOOL -> "bool";
          case NEGATE -> inner.type();
          case SIZE, INT -> "int";
          case DOUBLE -> "double";
          case STRING -> "string";
          default -> null;
        };
    return new Typed(new Tree.Unary(at, operator, inner.tree()), type);
  }

  private Typed binary(Tree.Binary binary) {
    Typed left = typed(binary.left());
    Typed right = typed(binary.right());
    if (binary.operator() == Operator.IN) {
      return new Typed(member(binary, left, right.tree()), "bool");
    }
    Typed first = adapted(left, right.type());
    Typed second = adapted(right, left.type());
    Tree tree = new Tree.Binary(binary.position(), binary.operator(), first.tree(), second.tree());
    String result =
        switch (binary.operator()) {
          case ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO -> {
            require(binary, first.type(), second.type(), false);
            yield first.type() == null ? second.type() : first.type();
          }
          case LESS, LESS_EQUAL, GREATER, GREATER_EQUAL -> {
            require(binary, first.type(), second.type(), true);
            yield "bool";
          }
          case EQUAL, NOT_EQUAL -> {
            require(binary, first.type(), second.type(), true);
            yield "bool";
          }
          default -> null;
        };
    return new Typed(tree, result);
  }

  /// Checks a value and the list in which it is searched: each item is compared with it.
  private Tree member(Tree.Binary binary, Typed left, Tree right) {
    if (!(right instanceof Tree.Items(var at, var items))) {
      return new Tree.Binary(binary.position(), binary.operator(), left.tree(), right);
    }
    Typed wanted = left;
    List<Tree> compared = new ArrayList<>();
    for (Tree item : items) {
      Typed one = new Typed(item, known(item));
      wanted = adapted(wanted, one.type());
      Typed adapted = adapted(one, wanted.type());
      require(binary, wanted.type(), adapted.type(), true);
      compared.add(adapted.tree());
    }
    return new Tree.Binary(
        binary.position(), binary.operator(), wanted.tree(), new Tree.Items(at, compared));
  }

  /// Returns the type of a literal or a variable.
  private @Nullable String known(Tree tree) {
    return switch (tree) {
      case Tree.Constant constant -> constantType(constant.value());
      case Tree.Variable variable -> declared.get(variable.name());
      case Tree.Select(var at, Tree.Whole whole, var field) -> declared.get(field);
      default -> null;
    };
  }

  /// @param compares whether the language compares its two number types with each other
  private void require(
      Tree.Binary binary, @Nullable String left, @Nullable String right, boolean compares) {
    boolean plain = compares && isPlainNumber(left) && isPlainNumber(right);
    if (left != null && right != null && !left.equals(right) && !plain) {
      mismatches.add(
          "'" + binary.operator().text() + "' is not defined for " + left + " and " + right);
    }
  }

  private static boolean isPlainNumber(@Nullable String type) {
    return "int".equals(type) || "double".equals(type);
  }

  /// Returns the declared number type of this name, or null if it is a type of the language or
  /// unknown.
  static @Nullable NumberType numberType(@Nullable String word) {
    for (NumberType type : NumberType.values()) {
      if (type.word().equals(word)) {
        return type;
      }
    }
    return null;
  }

  /// Converts a literal next to a number of a declared type to that type.
  private static Typed adapted(Typed operand, @Nullable String other) {
    NumberType type = numberType(other);
    BigDecimal literal = type == null ? null : literal(operand.tree());
    boolean fits = literal != null && (literal.scale() <= 0 || type == NumberType.DECIMAL);
    return type != null && literal != null && fits
        ? new Typed(
            new Tree.Constant(operand.tree().position(), new TypedNumber(type, literal)), other)
        : operand;
  }

  private static @Nullable BigDecimal literal(Tree tree) {
    return switch (tree) {
      case Tree.Constant(var at, Long whole) -> BigDecimal.valueOf(whole);
      case Tree.Constant(var at, Double real) when !real.isNaN() && !real.isInfinite() ->
          BigDecimal.valueOf(real);
      case Tree.Unary(var at, var operator, var operand) when operator == Operator.NEGATE -> {
        BigDecimal inner = literal(operand);
        yield inner == null ? null : inner.negate();
      }
      default -> null;
    };
  }
}
