package dev.damask.expression;

import dev.damask.expression.BinaryOperators.Refused;
import dev.damask.expression.Tree.Operator;
import dev.damask.task.ExpressionFailure;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Compiles a tree into closures, one per node, so that an evaluation is a few virtual calls.
final class Closures {
  private final Source source;
  private boolean searches;
  private final Map<String, String> declared;
  private final Set<Integer> doubles;

  /// @param declared the types of variables by name
  /// @param doubles the positions of indexes that are known to be doubles
  Closures(Source source, Map<String, String> declared, Set<Integer> doubles) {
    this.source = source;
    this.declared = declared;
    this.doubles = doubles;
  }

  /// One compiled node.
  @FunctionalInterface
  interface Node {
    @Nullable Object value(Context context, Locals locals);
  }

  /// Returns whether an operator may take longer than reading its operands.
  boolean searches() {
    return searches;
  }

  /// Compiles a whole expression. A plain path returns its value unchanged, so that a decimal that
  /// is only copied stays a decimal.
  Node root(Tree tree) {
    return switch (tree) {
      case Tree.Variable variable -> variable(variable);
      case Tree.Select select -> select(select);
      case Tree.Index index -> index(index);
      default -> node(tree);
    };
  }

  private Node node(Tree tree) {
    return switch (tree) {
      case Tree.Constant(var position, var value) -> (context, locals) -> value;
      case Tree.Variable variable -> operand(variable(variable));
      case Tree.Whole whole -> (context, locals) -> context.toMap();
      case Tree.Local(var position, var slot) -> operand((context, locals) -> locals.read(slot));
      case Tree.Select select -> operand(select(select));
      case Tree.Has has -> has(has);
      case Tree.Index index -> operand(index(index));
      case Tree.And(var position, var left, var right) -> logic(left, right, false);
      case Tree.Or(var position, var left, var right) -> logic(left, right, true);
      case Tree.Conditional conditional -> conditional(conditional);
      case Tree.Unary(var position, var operator, var operand) ->
          unary(position, operator, operand);
      case Tree.Binary binary -> binary(binary);
      case Tree.Items(var position, var items) -> items(items);
      case Tree.Entries entries -> entries(entries);
      case Tree.Fold fold -> fold(fold);
      case Tree.Append(var position, var slot, var item) -> append(slot, node(item));
      case Tree.NotFalse(var position, var operand) -> notFalse(node(operand));
      case Tree.Call call -> call(call);
    };
  }

  private static Node operand(Node node) {
    return (context, locals) -> BinaryOperators.operand(node.value(context, locals));
  }

  private Node variable(Tree.Variable variable) {
    String name = variable.name().intern();
    int position = variable.position();
    NumberType type = Typing.numberType(declared.get(name));
    return (context, locals) -> {
      Object value = context.get(name);
      if (value == null && !context.has(name)) {
        throw source.missing(position, "unknown key '" + name + "'");
      }
      return type == null ? value : TypedNumber.of(type, value);
    };
  }

  private Node select(Tree.Select select) {
    String field = select.field().intern();
    int position = select.position();
    if (select.operand() instanceof Tree.Whole) {
      return variable(new Tree.Variable(position, field));
    }
    Node operand = node(select.operand());
    return (context, locals) -> field(operand.value(context, locals), field, position);
  }

  private @Nullable Object field(@Nullable Object value, String field, int position) {
    if (!(value instanceof Map<?, ?> map)) {
      throw source.failure(
          position, "'." + field + "' requires a map, found " + BinaryOperators.kind(value));
    }
    Object entry = map.get(field);
    if (entry == null && !map.containsKey(field)) {
      throw source.missing(position, "unknown key '" + field + "'");
    }
    return entry;
  }

  private Node has(Tree.Has has) {
    String field = has.field();
    if (has.operand() instanceof Tree.Whole) {
      return (context, locals) -> context.has(field);
    }
    Node operand = node(has.operand());
    return (context, locals) -> {
      Object value = operand.value(context, locals);
      if (value instanceof Map<?, ?> map) {
        return map.containsKey(field);
      }
      throw source.failure(
          has.position(), "'." + field + "' requires a map, found " + BinaryOperators.kind(value));
    };
  }

  private Node index(Tree.Index tree) {
    Node operand = node(tree.operand());
    Node index = node(tree.index());
    boolean isDouble = doubles.contains(tree.position());
    return (context, locals) -> {
      Object value = operand.value(context, locals);
      Object at = index.value(context, locals);
      if (value instanceof Map<?, ?> && at instanceof String key) {
        return field(value, key, tree.position());
      }
      if (value instanceof Map<?, ?>) {
        throw source.missing(tree.position(), "unknown key " + at);
      }
      if (value instanceof List<?> list) {
        return list.get(position(list, at, tree.position(), isDouble));
      }
      throw source.failure(
          tree.position(),
          "an index requires a list or a map, found " + BinaryOperators.kind(value));
    };
  }

  private int position(List<?> list, @Nullable Object at, int position, boolean isDouble) {
    long wanted;
    if (at instanceof Long number) {
      wanted = number;
    } else if (at instanceof Double number && !isDouble && number == Math.rint(number)) {
      wanted = number.longValue();
    } else {
      throw source.failure(
          position, "the index of a list must be an int, found " + BinaryOperators.kind(at));
    }
    if (wanted < 0 || wanted >= list.size()) {
      throw source.missing(
          position, "index " + wanted + " is out of range; the list has size " + list.size());
    }
    return (int) wanted;
  }

  /// Compiles `&&` and `||`: a deciding operand on either side absorbs a failure of the other.
  private Node logic(Tree left, Tree right, boolean deciding) {
    Node first = node(left);
    Node second = node(right);
    return (context, locals) -> {
      boolean one;
      try {
        one = bool(first.value(context, locals), left);
      } catch (ExpressionFailure failure) {
        if (isDecided(second, right, deciding, context, locals)) {
          return deciding;
        }
        throw failure;
      }
      return one == deciding ? deciding : bool(second.value(context, locals), right);
    };
  }

  /// Returns whether the second operand decides after the first has failed.
  private boolean isDecided(
      Node node, Tree tree, boolean deciding, Context context, Locals locals) {
    try {
      return bool(node.value(context, locals), tree) == deciding;
    } catch (ExpressionFailure another) {
      return false;
    }
  }

  private boolean bool(@Nullable Object value, Tree tree) {
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw source.failure(tree.position(), "expected a bool, found " + BinaryOperators.kind(value));
  }

  private Node conditional(Tree.Conditional tree) {
    Node condition = node(tree.condition());
    Node then = node(tree.then());
    Node otherwise = node(tree.otherwise());
    return (context, locals) ->
        bool(condition.value(context, locals), tree.condition())
            ? then.value(context, locals)
            : otherwise.value(context, locals);
  }

  private Node unary(int position, Operator operator, Tree tree) {
    Node operand = node(tree);
    return (context, locals) -> {
      Object value = operand.value(context, locals);
      try {
        if (value instanceof String text) {
          locals.work().charge(text);
        }
        return Conversions.unary(operator, value);
      } catch (Refused refused) {
        throw source.failure(position, Objects.requireNonNull(refused.getMessage()));
      }
    };
  }

  private Node binary(Tree.Binary tree) {
    Operator operator = tree.operator();
    searches |= operator == Operator.MATCHES || operator == Operator.CONTAINS;
    if (operator == Operator.MATCHES
        && tree.right() instanceof Tree.Constant(var at, String text)) {
      return matches(tree, at, text);
    }
    Node left = node(tree.left());
    Node right = node(tree.right());
    return (context, locals) -> {
      Object one = left.value(context, locals);
      Object other = right.value(context, locals);
      try {
        return BinaryOperators.binary(operator, one, other, locals.work());
      } catch (Refused refused) {
        throw source.failure(tree.position(), Objects.requireNonNull(refused.getMessage()));
      }
    };
  }

  /// Compiles a match. A literal pattern is compiled once and rejected when the document is read.
  private Node matches(Tree.Binary tree, int at, String text) {
    LinearPattern pattern;
    try {
      pattern = LinearPattern.of(text);
    } catch (IllegalArgumentException e) {
      throw source.invalid(at, String.valueOf(e.getMessage()));
    }
    Node operand = node(tree.left());
    return (context, locals) -> {
      try {
        return BinaryOperators.matches(operand.value(context, locals), pattern, locals.work());
      } catch (Refused refused) {
        throw source.failure(tree.position(), Objects.requireNonNull(refused.getMessage()));
      }
    };
  }

  private Node call(Tree.Call tree) {
    List<Node> operands = tree.operands().stream().map(this::node).toList();
    Functions.Body body = tree.function().body();
    searches = true;
    return (context, locals) -> {
      List<@Nullable Object> values = new ArrayList<>(operands.size());
      for (Node operand : operands) {
        Object value = operand.value(context, locals);
        values.add(value instanceof TypedNumber number ? number.plain() : value);
      }
      try {
        for (Object value : values) {
          locals.work().read(value, 1);
        }
        return body.apply(values, locals.work().meter());
      } catch (Refused | IllegalArgumentException e) {
        throw source.failure(tree.position(), tree.name() + ": " + e.getMessage());
      }
    };
  }

  private Node items(List<Tree> trees) {
    List<Node> nodes = trees.stream().map(this::node).toList();
    return (context, locals) -> {
      List<@Nullable Object> items = new ArrayList<>(nodes.size());
      for (Node node : nodes) {
        items.add(node.value(context, locals));
      }
      return Collections.unmodifiableList(items);
    };
  }

  private Node entries(Tree.Entries tree) {
    List<Node> keys = tree.keys().stream().map(this::node).toList();
    List<Node> values = tree.values().stream().map(this::node).toList();
    return (context, locals) -> {
      Map<String, @Nullable Object> entries = new LinkedHashMap<>();
      for (int i = 0; i < values.size(); i++) {
        String key = key(keys.get(i).value(context, locals), tree.keys().get(i));
        if (entries.containsKey(key)) {
          throw source.failure(tree.keys().get(i).position(), "duplicate key '" + key + "'");
        }
        entries.put(key, values.get(i).value(context, locals));
      }
      return Collections.unmodifiableMap(entries);
    };
  }

  private String key(@Nullable Object value, Tree tree) {
    if (value instanceof String key) {
      return key;
    }
    throw source.failure(
        tree.position(), "the key of a map must be a string, found " + BinaryOperators.kind(value));
  }

  private Node fold(Tree.Fold tree) {
    Node range = node(tree.range());
    Node init = node(tree.init());
    Node condition = node(tree.body().condition());
    Node step = node(tree.body().step());
    Node result = node(tree.body().result());
    Tree.Slots slots = tree.slots();
    return (context, locals) -> {
      Collection<?> elements = elements(range.value(context, locals), tree);
      locals.write(slots.accumulator(), init.value(context, locals));
      for (Object element : elements) {
        if (!locals.count()) {
          throw source.failure(
              tree.position(), "macros take more than " + Locals.ROUNDS_MAX + " rounds");
        }
        locals.write(slots.element(), element);
        if (!bool(condition.value(context, locals), tree.body().condition())) {
          break;
        }
        locals.step(slots.accumulator(), step, context);
      }
      return result.value(context, locals);
    };
  }

  private Collection<?> elements(@Nullable Object range, Tree.Fold tree) {
    return switch (range) {
      case List<?> list -> list;
      case Map<?, ?> map -> map.keySet();
      case null, default ->
          throw source.failure(
              tree.range().position(),
              "a macro requires a list or a map, found " + BinaryOperators.kind(range));
    };
  }

  private static Node append(int slot, Node item) {
    return (context, locals) -> locals.append(slot, item.value(context, locals));
  }

  private static Node notFalse(Node operand) {
    return (context, locals) -> {
      try {
        return !Boolean.FALSE.equals(operand.value(context, locals));
      } catch (ExpressionFailure failure) {
        return true;
      }
    };
  }
}
