package dev.damask.expression;

import dev.damask.task.Context;
import dev.damask.task.Expression;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An expression with functions of its own, and what is known about it before it is evaluated.
public final class RuleExpression implements Expression {
  private final CompiledExpression compiled;
  private final Set<String> names;
  private final Shape shape;

  RuleExpression(CompiledExpression compiled, Set<String> names, Shape shape) {
    this.compiled = compiled;
    this.names = names;
    this.shape = shape;
  }

  @Override
  public @Nullable Object value(Context context) {
    return compiled.value(context);
  }

  @Override
  public String text() {
    return compiled.text();
  }

  /// The keys it reads.
  public Set<String> names() {
    return names;
  }

  public Shape shape() {
    return shape;
  }

  /// How much there is to do: the measure of its cost.
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
