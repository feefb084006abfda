package dev.damask.task;

import org.jspecify.annotations.Nullable;

/// A value computed from a context. The text is its name in listings and the program hash.
@FunctionalInterface
public interface Expression {
  @Nullable Object value(Context context);

  default String text() {
    return "java";
  }

  /// Gives an expression written in Java a name that people and the program hash see.
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

  /// An expression that always has the same value.
  static Expression constant(@Nullable Object value) {
    Object canonical = Values.of(value);
    return named(String.valueOf(canonical), context -> canonical);
  }
}
