package dev.damask.task;

import dev.damask.value.Context;
import java.util.Optional;

/// A condition on a context. The text is its name in listings, diagrams and the program hash.
@FunctionalInterface
public interface Guard {
  /// Returns whether the condition holds. Throws [ExpressionFailure] if that cannot be decided.
  boolean test(Context context);

  /// Returns the text that stands for the condition in listings, diagrams and the program hash.
  default String text() {
    return "java";
  }

  /// Returns the names and constants in the condition, as far as they are known.
  default ExpressionParts parts() {
    return ExpressionParts.UNKNOWN;
  }

  /// Returns the value of a condition that no context can change; empty when it depends on the
  /// context.
  default Optional<Boolean> constant() {
    return switch (text()) {
      case "true" -> Optional.of(true);
      case "false" -> Optional.of(false);
      default -> Optional.empty();
    };
  }

  /// Returns a condition written in Java with a string for listings, diagrams and the program hash.
  static Guard named(String text, Guard guard) {
    return new Guard() {
      @Override
      public boolean test(Context context) {
        return guard.test(context);
      }

      @Override
      public String text() {
        return text;
      }
    };
  }
}
