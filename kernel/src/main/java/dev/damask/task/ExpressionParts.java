package dev.damask.task;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What an expression is made of: the names it reads and the constants it has.
///
/// @param names the context keys it reads, each with the fields behind it, in the order of their
///   text
/// @param constants the literals in it, each once, in the order of the text
/// @param isLiteral whether it is one constant and nothing else
public record ExpressionParts(
    Set<List<String>> names, List<@Nullable Object> constants, boolean isLiteral) {
  /// The parts of an expression that does not report them, such as one in Java.
  public static final ExpressionParts UNKNOWN =
      new ExpressionParts(Collections.emptySet(), List.of(), false);

  public ExpressionParts(
      Set<List<String>> names, List<@Nullable Object> constants, boolean isLiteral) {
    this.names = Collections.unmodifiableSet(new LinkedHashSet<>(names));
    this.constants = Collections.unmodifiableList(new ArrayList<>(constants));
    this.isLiteral = isLiteral;
  }

  /// The whole number that the expression always is; empty if it is none, or depends on data.
  public OptionalLong number() {
    return isLiteral && constants.getFirst() instanceof Long number && number >= 0
        ? OptionalLong.of(number)
        : OptionalLong.empty();
  }

  /// The number of instances that the expression always stands for: a number, or the length of a
  /// list.
  public OptionalLong instances() {
    return isLiteral && constants.getFirst() instanceof List<?> list
        ? OptionalLong.of(list.size())
        : number();
  }

  /// The parts of a constant.
  static ExpressionParts literal(@Nullable Object value) {
    return new ExpressionParts(Collections.emptySet(), Collections.singletonList(value), true);
  }
}
