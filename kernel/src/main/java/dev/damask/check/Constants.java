package dev.damask.check;

import dev.damask.task.Expression;
import dev.damask.task.Guard;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Guards and numbers that are written as constants.
final class Constants {
  private static final int DIGITS_MAX = 9;

  private Constants() {}

  static boolean isTrue(@Nullable Guard guard) {
    return guard != null && guard.text().equals("true");
  }

  static boolean isFalse(@Nullable Guard guard) {
    return guard != null && guard.text().equals("false");
  }

  static OptionalLong number(Expression expression) {
    String text = expression.text();
    boolean digits = !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    return digits && text.length() <= DIGITS_MAX
        ? OptionalLong.of(Long.parseLong(text))
        : OptionalLong.empty();
  }
}
