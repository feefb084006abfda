package dev.damask.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The syntax tree of an expression: the parser creates it, the checker checks it, and closures are
/// compiled from it. The position is the offset of the characteristic character in the text.
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
  record Index(int position, Tree operand, Tree index) implements Tree {}

  record And(int position, Tree left, Tree right) implements Tree {}

  record Or(int position, Tree left, Tree right) implements Tree {}

  record Conditional(int position, Tree condition, Tree then, Tree otherwise) implements Tree {}

  record Unary(int position, Operator operator, Tree operand) implements Tree {}

  record Binary(int position, Operator operator, Tree left, Tree right) implements Tree {}

  record Items(int position, List<Tree> items) implements Tree {}

  /// A map; every key is a string.
  record Entries(int position, List<Tree> keys, List<Tree> values) implements Tree {}

  /// A macro over a list or the keys of a map: folds the elements into an accumulator.
  record Fold(int position, Tree range, Slots slots, Tree init, Body body) implements Tree {}

  /// The slots of a fold's element and its accumulator.
  record Slots(int element, int accumulator) {}

  /// The parts of a fold: it continues while the condition holds, runs a step per element, and has
  /// a result.
  record Body(Tree condition, Tree step, Tree result) {}

  /// Appends one item to the list in the accumulator, which is not shared.
  record Append(int position, int slot, Tree item) implements Tree {}

  /// True unless the operand is false; a failure counts as true.
  record NotFalse(int position, Tree operand) implements Tree {}

  /// A call of a front end's function.
  record Call(int position, String name, Functions.Function function, List<Tree> operands)
      implements Tree {}

  /// The functions of one or two operands that closures implement.
  enum Operator {
    NOT("!"),
    NEGATE("-"),
    SIZE("size"),
    INT("int"),
    DOUBLE("double"),
    STRING("string"),
    BOOL("bool"),
    BYTES("bytes"),
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
    ENDS_WITH("endsWith"),
    MATCHES("matches");

    private final String text;

    Operator(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }
}
