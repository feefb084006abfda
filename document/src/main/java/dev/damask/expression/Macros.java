package dev.damask.expression;

import dev.damask.expression.Tree.Operator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Expands one macro over a list or the keys of a map into a fold.
final class Macros {
  static final String HAS = "has";

  /// The macros that bind a variable.
  static final Set<String> NAMES = Set.of("all", "exists", "exists_one", "map", "filter");

  /// The number of local variables of a fold: its element and its accumulator.
  static final int SLOTS = 2;

  /// The maximum number of nodes that a macro adds.
  static final int NODES = 9;

  private final int position;
  private final Tree.Slots slots;

  /// @param first the first of the slots that are free
  Macros(int position, int first) {
    this.position = position;
    this.slots = new Tree.Slots(first, first + 1);
  }

  int element() {
    return slots.element();
  }

  /// Returns the fold of a macro, or null if it does not accept this number of arguments.
  ///
  /// @param arguments the arguments after the name of the variable
  @Nullable Tree fold(String name, Tree range, List<Tree> arguments) {
    int most = name.equals("map") ? 2 : 1;
    if (arguments.isEmpty() || arguments.size() > most) {
      return null;
    }
    Tree last = arguments.getLast();
    return switch (name) {
      case "all" ->
          fold(
              range,
              constant(true),
              new Tree.Body(
                  new Tree.NotFalse(position, accumulator()),
                  new Tree.And(position, accumulator(), last),
                  accumulator()));
      case "exists" ->
          fold(
              range,
              constant(false),
              new Tree.Body(
                  new Tree.NotFalse(
                      position, new Tree.Unary(position, Operator.NOT, accumulator())),
                  new Tree.Or(position, accumulator(), last),
                  accumulator()));
      case "exists_one" ->
          fold(
              range,
              constant(0L),
              new Tree.Body(
                  constant(true),
                  new Tree.Conditional(
                      position, last, binary(Operator.ADD, constant(1L)), accumulator()),
                  binary(Operator.EQUAL, constant(1L))));
      case "filter" -> collected(range, last, new Tree.Local(position, slots.element()));
      default -> collected(range, arguments.size() > 1 ? arguments.getFirst() : null, last);
    };
  }

  /// Returns a fold that adds an item for each element, or for each element that satisfies a
  /// condition.
  private Tree collected(Tree range, @Nullable Tree condition, Tree item) {
    Tree append = new Tree.Append(position, slots.accumulator(), item);
    Tree step =
        condition == null
            ? append
            : new Tree.Conditional(position, condition, append, accumulator());
    Tree none = new Tree.Items(position, List.of());
    return fold(range, none, new Tree.Body(constant(true), step, accumulator()));
  }

  private Tree fold(Tree range, Tree init, Tree.Body body) {
    return new Tree.Fold(position, range, slots, init, body);
  }

  private Tree constant(Object value) {
    return new Tree.Constant(position, value);
  }

  private Tree accumulator() {
    return new Tree.Local(position, slots.accumulator());
  }

  private Tree binary(Operator operator, Tree right) {
    return new Tree.Binary(position, operator, accumulator(), right);
  }
}
