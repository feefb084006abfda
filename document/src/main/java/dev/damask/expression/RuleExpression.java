package dev.damask.expression;

import dev.damask.task.Expression;
import dev.damask.task.ExpressionParts;
import dev.damask.value.Context;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An expression with a front end's functions and its static properties.
public final class RuleExpression implements Expression {
  private final CompiledExpression compiled;
  private final Shape shape;
  private final List<String> mismatches;

  RuleExpression(CompiledExpression compiled, Shape shape, List<String> mismatches) {
    this.compiled = compiled;
    this.shape = shape;
    this.mismatches = mismatches;
  }

  /// Returns messages about operators whose operands have known types that do not fit.
  public List<String> mismatches() {
    return mismatches;
  }

  @Override
  public @Nullable Object value(Context context) {
    return TypedNumber.outside(compiled.value(context));
  }

  /// Returns the value, and charges for its work together with that of other evaluations. Throws
  /// [dev.damask.task.ExpressionFailure] if all of them together exceed the limit of one.
  public @Nullable Object value(Context context, Work work) {
    return TypedNumber.outside(compiled.value(context, work));
  }

  @Override
  public String text() {
    return compiled.text();
  }

  /// Returns the keys that it reads.
  public Set<String> names() {
    return compiled.names();
  }

  @Override
  public ExpressionParts parts() {
    return compiled.parts();
  }

  /// Returns the amount of work of this expression.
  public Shape shape() {
    return shape;
  }

  /// The amount of work of an expression, as a measure of its cost.
  ///
  /// @param regex whether it matches a regular expression
  public record Shape(long operators, long functions, boolean regex) {
    static final Shape NOTHING = new Shape(0, 0, false);

    Shape plus(Shape other) {
      return new Shape(
          operators + other.operators, functions + other.functions, regex || other.regex);
    }

    Shape plus(long moreOperators, long moreFunctions) {
      return new Shape(operators + moreOperators, functions + moreFunctions, regex);
    }

    Shape times(long count) {
      return new Shape(operators * count, functions * count, regex);
    }
  }
}
