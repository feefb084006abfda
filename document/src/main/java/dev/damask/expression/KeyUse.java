package dev.damask.expression;

import dev.damask.expression.Tree.Operator;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// The context keys of an expression.
///
/// `has(ctx.k) && k > 1` needs no key: `k` is read only where the test found it. `&&` and `||` are
/// symmetric, as in CEL, because a failing operand does not matter if the other one decides.
///
/// @param needed the keys without which the evaluation can fail
/// @param whenTrue the keys that exist if the value is true
/// @param whenFalse the keys that exist if the value is false
public record KeyUse(Set<String> needed, Set<String> whenTrue, Set<String> whenFalse) {
  static KeyUse of(Tree tree) {
    return switch (tree) {
      case Tree.Constant _, Tree.Whole _, Tree.Local _ -> needing(Set.of());
      case Tree.Variable(_, var name) -> needing(Set.of(name));
      case Tree.Select(_, Tree.Whole _, var field) -> needing(Set.of(field));
      case Tree.Index(_, Tree.Whole _, Tree.Constant(_, String key)) -> needing(Set.of(key));
      case Tree.Has(_, Tree.Whole _, var field) -> new KeyUse(Set.of(), Set.of(field), Set.of());
      case Tree.Binary(_, var operator, Tree.Constant(_, String key), Tree.Whole _)
          when operator == Operator.IN ->
          new KeyUse(Set.of(), Set.of(key), Set.of());
      case Tree.Unary(_, var operator, var operand) when operator == Operator.NOT -> {
        KeyUse inner = of(operand);
        Set<String> nowTrue = inner.whenFalse;
        Set<String> nowFalse = inner.whenTrue;
        yield new KeyUse(inner.needed, nowTrue, nowFalse);
      }
      case Tree.And(_, var left, var right) -> both(of(left), of(right));
      case Tree.Or(_, var left, var right) -> either(of(left), of(right));
      case Tree.Conditional(_, var condition, var then, var otherwise) ->
          choice(of(condition), of(then), of(otherwise));
      case Tree.Select(_, var operand, _) -> all(List.of(operand));
      case Tree.Has(_, var operand, _) -> all(List.of(operand));
      case Tree.Index(_, var operand, var index) -> all(List.of(operand, index));
      case Tree.Unary(_, _, var operand) -> all(List.of(operand));
      case Tree.Binary(_, _, var left, var right) -> all(List.of(left, right));
      case Tree.Items(_, var items) -> all(items);
      case Tree.Entries(_, var keys, var values) -> needing(plus(needed(keys), needed(values)));
      case Tree.Fold(_, var range, _, _, var body) -> all(List.of(range, body.step()));
      case Tree.Append(_, _, var item) -> all(List.of(item));
      case Tree.NotFalse(_, var operand) -> all(List.of(operand));
      case Tree.Call call -> all(call.operands());
    };
  }

  private static KeyUse needing(Set<String> keys) {
    return new KeyUse(keys, Set.of(), Set.of());
  }

  private static KeyUse all(List<Tree> trees) {
    return needing(needed(trees));
  }

  private static Set<String> needed(List<Tree> trees) {
    Set<String> keys = new TreeSet<>();
    trees.forEach(tree -> keys.addAll(of(tree).needed));
    return keys;
  }

  private static KeyUse both(KeyUse left, KeyUse right) {
    return new KeyUse(
        plus(minus(left.needed, right.whenTrue), minus(right.needed, left.whenTrue)),
        plus(left.whenTrue, right.whenTrue),
        common(left.whenFalse, right.whenFalse));
  }

  private static KeyUse either(KeyUse left, KeyUse right) {
    return new KeyUse(
        plus(minus(left.needed, right.whenFalse), minus(right.needed, left.whenFalse)),
        common(left.whenTrue, right.whenTrue),
        plus(left.whenFalse, right.whenFalse));
  }

  private static KeyUse choice(KeyUse condition, KeyUse then, KeyUse otherwise) {
    Set<String> needed =
        plus(
            condition.needed,
            plus(
                minus(then.needed, condition.whenTrue),
                minus(otherwise.needed, condition.whenFalse)));
    return needing(needed);
  }

  private static Set<String> plus(Set<String> one, Set<String> other) {
    Set<String> sum = new TreeSet<>(one);
    sum.addAll(other);
    return Collections.unmodifiableSet(sum);
  }

  private static Set<String> minus(Set<String> one, Set<String> other) {
    Set<String> rest = new TreeSet<>(one);
    rest.removeAll(other);
    return Collections.unmodifiableSet(rest);
  }

  private static Set<String> common(Set<String> one, Set<String> other) {
    Set<String> both = new TreeSet<>(one);
    both.retainAll(other);
    return Collections.unmodifiableSet(both);
  }
}
