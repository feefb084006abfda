package dev.damask.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A checked expression as data: what both parsers make and closures are made of. The position is
/// the offset of the characteristic character in the text.
sealed interface Tree {
  int position();

  record Constant(int position, @Nullable Object value) implements Tree {}

  /// The value of a context key.
  record Variable(int position, String name) implements Tree {}

  /// The whole context as a map.
  record Whole(int position) implements Tree {}

  /// A variable bound by a macro.
  record Local(int position, int slot) implements Tree {}

  record Select(int position, Tree operand, String field) implements Tree {}

  record Has(int position, Tree operand, String field) implements Tree {}

  /// An element of a list or a map.
  ///
  /// @param fixedDouble whether the index is known to be a double, which no list accepts
  record Index(int position, Tree operand, Tree index, boolean fixedDouble) implements Tree {}

  record And(int position, Tree left, Tree right) implements Tree {}

  record Or(int position, Tree left, Tree right) implements Tree {}

  record Conditional(int position, Tree condition, Tree then, Tree otherwise) implements Tree {}

  record Unary(int position, Operator operator, Tree operand) implements Tree {}

  record Binary(int position, Operator operator, Tree left, Tree right) implements Tree {}

  record Items(int position, List<Tree> items) implements Tree {}

  record Entries(int position, List<String> keys, List<Tree> values) implements Tree {}

  /// A macro over a list or the keys of a map: folds the elements into an accumulator.
  record Fold(int position, Tree range, Slots slots, Tree init, Body body) implements Tree {}

  /// Where a fold keeps its element and its accumulator.
  record Slots(int element, int accumulator) {}

  /// What a fold does: goes on while the condition holds, takes a step, and has a result.
  record Body(Tree condition, Tree step, Tree result) {}

  /// Adds one item to the list in the accumulator, which nobody else sees.
  record Append(int position, int slot, Tree item) implements Tree {}

  /// True unless the operand is false; a failure counts as true.
  record NotFalse(int position, Tree operand) implements Tree {}

  /// A call of a function that a front end brings along.
  record Call(int position, String name, Functions.Function function, List<Tree> operands)
      implements Tree {}

  /// The functions of one or two values that closures know.
  enum Operator {
    NOT("!"),
    NEGATE("-"),
    SIZE("size"),
    INT("int"),
    DOUBLE("double"),
    STRING("string"),
    BOOL("bool"),
    DYN("dyn"),
    ADD("+"),
    SUBTRACT("-"),
    MULTIPLY("*"),
    DIVIDE("/"),
    MODULO("%"),
    EQUAL("=="),
    NOT_EQUAL("!="),
    LESS("<"),
    LESS_EQUAL("<="),
    GREATER(">"),
    GREATER_EQUAL(">="),
    IN("in"),
    CONTAINS("contains"),
    STARTS_WITH("startsWith"),
    ENDS_WITH("endsWith");

    private final String text;

    Operator(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }
}
