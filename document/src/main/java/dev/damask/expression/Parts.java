package dev.damask.expression;

import dev.damask.task.ExpressionParts;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Collects the names in a tree, each with the fields that are read from it.
final class Parts {
  private final Map<String, List<String>> paths = new TreeMap<>();

  private Parts() {}

  static ExpressionParts of(Parsed parsed) {
    Parts parts = new Parts();
    parts.visit(parsed.tree());
    return new ExpressionParts(
        new LinkedHashSet<>(parts.paths.values()),
        parsed.constants(),
        parsed.tree() instanceof Tree.Constant);
  }

  private void visit(Tree tree) {
    List<String> path = path(tree);
    if (path != null) {
      if (!path.isEmpty()) {
        paths.put(String.join(".", path), path);
      }
      return;
    }
    switch (tree) {
      case Tree.Constant constant -> {}
      case Tree.Variable variable -> {}
      case Tree.Whole whole -> {}
      case Tree.Local local -> {}
      case Tree.Select(var at, var operand, var field) -> visit(operand);
      case Tree.Has(var at, var operand, var field) -> visit(operand);
      case Tree.Index(var at, var operand, var index) -> all(List.of(operand, index));
      case Tree.And(var at, var left, var right) -> all(List.of(left, right));
      case Tree.Or(var at, var left, var right) -> all(List.of(left, right));
      case Tree.Conditional(var at, var condition, var then, var otherwise) ->
          all(List.of(condition, then, otherwise));
      case Tree.Unary(var at, var operator, var operand) -> visit(operand);
      case Tree.Binary(var at, var operator, var left, var right) -> all(List.of(left, right));
      case Tree.Items(var at, var items) -> all(items);
      case Tree.Entries(var at, var keys, var values) -> {
        all(keys);
        all(values);
      }
      case Tree.Fold(var at, var range, var slots, var init, var body) ->
          all(List.of(range, body.step()));
      case Tree.Append(var at, var slot, var item) -> visit(item);
      case Tree.NotFalse(var at, var operand) -> visit(operand);
      case Tree.Call call -> all(call.operands());
    }
  }

  private void all(List<Tree> trees) {
    trees.forEach(this::visit);
  }

  /// Returns a context key and the fields after it. Empty for the whole context, null for any other
  /// tree.
  private static @Nullable List<String> path(Tree tree) {
    return switch (tree) {
      case Tree.Whole whole -> List.of();
      case Tree.Variable(var at, var name) -> List.of(name);
      case Tree.Select(var at, var operand, var field) -> longer(path(operand), field);
      case Tree.Has(var at, var operand, var field) -> longer(path(operand), field);
      case Tree.Index(var at, var operand, Tree.Constant(var position, String key)) ->
          longer(path(operand), key);
      default -> null;
    };
  }

  private static @Nullable List<String> longer(@Nullable List<String> path, String field) {
    if (path == null) {
      return null;
    }
    List<String> longer = new ArrayList<>(path);
    longer.add(field);
    return longer;
  }
}
