package dev.damask.task;

import dev.damask.value.Context;
import dev.damask.value.Values;
import org.jspecify.annotations.Nullable;

/// A value computed from a context. The text is its name in listings and the program hash.
@FunctionalInterface
public interface Expression {
  /// Returns the value for a context. Throws [ExpressionFailure] if it has none.
  @Nullable Object value(Context context);

  /// Returns the text that stands for the expression in listings and the program hash.
  default String text() {
    return "java";
  }

  /// Returns the same expression with its value computed in advance where no context can change it.
  /// The text stays; an expression whose evaluation fails stays as it is.
  default Expression folded() {
    return this;
  }

  /// Returns the names and constants in the expression, as far as they are known.
  default ExpressionParts parts() {
    return ExpressionParts.UNKNOWN;
  }

  /// Returns an expression written in Java with a string for listings and the program hash.
  static Expression named(String text, Expression expression) {
    return new Expression() {
      @Override
      public @Nullable Object value(Context context) {
        return expression.value(context);
      }

      @Override
      public String text() {
        return text;
      }
    };
  }

  /// Returns an expression with a constant value.
  static Expression constant(@Nullable Object value) {
    return constant(String.valueOf(Values.of(value)), value);
  }

  /// Returns an expression with a constant value and its own text.
  static Expression constant(String text, @Nullable Object value) {
    Object canonical = Values.of(value);
    return new Expression() {
      @Override
      public @Nullable Object value(Context context) {
        return canonical;
      }

      @Override
      public String text() {
        return text;
      }

      @Override
      public ExpressionParts parts() {
        return ExpressionParts.literal(canonical);
      }
    };
  }
}
