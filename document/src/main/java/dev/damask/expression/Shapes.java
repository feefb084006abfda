package dev.damask.expression;

import dev.damask.expression.RuleExpression.Shape;
import java.util.List;

/// Counts the operators and functions of trees, and the rounds of macros.
final class Shapes {
  /// The assumed number of rounds of a macro over a list of unknown length.
  private static final int ROUNDS = 64;

  private Shapes() {}

  static Shape of(Tree tree) {
    return switch (tree) {
      case Tree.Constant constant -> Shape.NOTHING;
      case Tree.Variable variable -> Shape.NOTHING;
      case Tree.Whole whole -> Shape.NOTHING;
      case Tree.Local local -> Shape.NOTHING;
      case Tree.Select(var at, var operand, var field) -> of(operand);
      case Tree.Has(var at, var operand, var field) -> of(operand).plus(0, 1);
      case Tree.Index(var at, var operand, var index) -> of(operand).plus(of(index));
      case Tree.And(var at, var left, var right) -> of(left).plus(of(right)).plus(1, 0);
      case Tree.Or(var at, var left, var right) -> of(left).plus(of(right)).plus(1, 0);
      case Tree.Conditional(var at, var condition, var then, var otherwise) ->
          of(condition).plus(of(then)).plus(of(otherwise)).plus(1, 0);
      case Tree.Unary(var at, var operator, var operand) ->
          switch (operator) {
            case NOT, NEGATE -> of(operand).plus(1, 0);
            default -> of(operand).plus(0, 1);
          };
      case Tree.Binary(var at, var operator, var left, var right) ->
          switch (operator) {
            case CONTAINS, STARTS_WITH, ENDS_WITH, MATCHES -> of(left).plus(of(right)).plus(0, 1);
            default -> of(left).plus(of(right)).plus(1, 0);
          };
      case Tree.Items(var at, var items) -> all(items);
      case Tree.Entries entries -> all(entries.keys()).plus(all(entries.values()));
      case Tree.Fold fold -> fold(fold);
      case Tree.Append(var at, var slot, var item) -> of(item);
      case Tree.NotFalse(var at, var operand) -> of(operand);
      case Tree.Call call -> {
        Shape shape = all(call.operands()).plus(0, 1);
        yield call.name().equals("matches")
            ? new Shape(shape.operators(), shape.functions(), true)
            : shape;
      }
    };
  }

  private static Shape all(List<Tree> trees) {
    Shape sum = Shape.NOTHING;
    for (Tree tree : trees) {
      sum = sum.plus(of(tree));
    }
    return sum;
  }

  /// Counts the range, one function, and the body once per round.
  private static Shape fold(Tree.Fold fold) {
    long rounds = fold.range() instanceof Tree.Items(var at, var items) ? items.size() : ROUNDS;
    return of(fold.range()).plus(0, 1).plus(body(fold.body().step()).times(rounds));
  }

  /// Counts the body as the author wrote it, without the parts that the macro adds.
  private static Shape body(Tree step) {
    return switch (step) {
      case Tree.And(var at, Tree.Local accumulator, var body) -> of(body);
      case Tree.Or(var at, Tree.Local accumulator, var body) -> of(body);
      case Tree.Conditional(var at, var condition, Tree.Append append, var otherwise) ->
          of(condition).plus(of(append));
      case Tree.Conditional(var at, var condition, Tree.Binary count, Tree.Local same) ->
          of(condition);
      default -> of(step);
    };
  }
}
