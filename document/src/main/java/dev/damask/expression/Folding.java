package dev.damask.expression;

import java.util.Optional;

/// Evaluates conditions whose value does not depend on the context, such as `1 > 2` or `false &&
/// x`.
final class Folding {
  private Folding() {}

  /// Returns the value of a condition if it follows from its constants. Empty if it depends on data
  /// or its evaluation could fail.
  static Optional<Boolean> fold(Tree tree) {
    return switch (tree) {
      case Tree.Constant(_, var value) ->
          value instanceof Boolean flag ? Optional.of(flag) : Optional.empty();
      case Tree.And(_, var left, var right) -> both(fold(left), fold(right), false);
      case Tree.Or(_, var left, var right) -> both(fold(left), fold(right), true);
      case Tree.Unary(_, var operator, var operand) ->
          operator == Tree.Operator.NOT ? fold(operand).map(value -> !value) : Optional.empty();
      case Tree.Conditional(_, var condition, var then, var otherwise) ->
          fold(condition).flatMap(value -> fold(value ? then : otherwise));
      case Tree.Binary(_, var operator, var left, var right) -> compare(operator, left, right);
      default -> Optional.empty();
    };
  }

  /// Returns whether an expression has only constants and operators, so that it reads no context.
  static boolean isClosed(Tree tree) {
    return switch (tree) {
      case Tree.Constant _ -> true;
      case Tree.Unary(_, _, var operand) -> isClosed(operand);
      case Tree.Binary(_, _, var left, var right) -> isClosed(left) && isClosed(right);
      case Tree.And(_, var left, var right) -> isClosed(left) && isClosed(right);
      case Tree.Or(_, var left, var right) -> isClosed(left) && isClosed(right);
      case Tree.Conditional(_, var condition, var then, var otherwise) ->
          isClosed(condition) && isClosed(then) && isClosed(otherwise);
      case Tree.Items(_, var items) -> items.stream().allMatch(Folding::isClosed);
      case Tree.Entries(_, var keys, var values) ->
          keys.stream().allMatch(Folding::isClosed) && values.stream().allMatch(Folding::isClosed);
      case Tree.Select(_, var operand, _) -> isClosed(operand);
      case Tree.Index(_, var operand, var index) -> isClosed(operand) && isClosed(index);
      default -> false;
    };
  }

  /// Folds `&&` and `||`. One operand decides if it has the deciding value, regardless of the
  /// other.
  private static Optional<Boolean> both(
      Optional<Boolean> left, Optional<Boolean> right, boolean deciding) {
    if (left.equals(Optional.of(deciding)) || right.equals(Optional.of(deciding))) {
      return Optional.of(deciding);
    }
    return left.isPresent() && right.isPresent() ? Optional.of(!deciding) : Optional.empty();
  }

  private static Optional<Boolean> compare(Tree.Operator operator, Tree left, Tree right) {
    if (!(left instanceof Tree.Constant(_, var one))
        || !(right instanceof Tree.Constant(_, var two))) {
      return Optional.empty();
    }
    if (one instanceof Long a && two instanceof Long b) {
      return compare(operator, Long.compare(a, b));
    }
    if (one instanceof String a && two instanceof String b) {
      return switch (operator) {
        case EQUAL -> Optional.of(a.equals(b));
        case NOT_EQUAL -> Optional.of(!a.equals(b));
        default -> Optional.empty();
      };
    }
    if (one instanceof Boolean a && two instanceof Boolean b) {
      return switch (operator) {
        case EQUAL -> Optional.of(a.equals(b));
        case NOT_EQUAL -> Optional.of(!a.equals(b));
        default -> Optional.empty();
      };
    }
    return Optional.empty();
  }

  private static Optional<Boolean> compare(Tree.Operator operator, int order) {
    return switch (operator) {
      case EQUAL -> Optional.of(order == 0);
      case NOT_EQUAL -> Optional.of(order != 0);
      case LESS -> Optional.of(order < 0);
      case LESS_EQUAL -> Optional.of(order <= 0);
      case GREATER -> Optional.of(order > 0);
      case GREATER_EQUAL -> Optional.of(order >= 0);
      default -> Optional.empty();
    };
  }
}
