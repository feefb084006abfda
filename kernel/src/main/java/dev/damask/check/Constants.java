package dev.damask.check;

import dev.damask.task.Guard;
import org.jspecify.annotations.Nullable;

/// Guards that are written as constants.
final class Constants {
  private Constants() {}

  static boolean isTrue(@Nullable Guard guard) {
    return guard != null && guard.constant().orElse(false);
  }

  static boolean isFalse(@Nullable Guard guard) {
    return guard != null && !guard.constant().orElse(true);
  }
}
