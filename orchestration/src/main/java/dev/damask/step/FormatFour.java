package dev.damask.step;

import java.util.Map;

/// Reads what stores of format 4 hold of sessions and later versions write differently.
final class FormatFour {
  private FormatFour() {}

  /// The progress of a step. In format 4 it names no rule, and is the name of its stage alone if
  /// nothing else differs from the start.
  static Map<?, ?> progress(Object progress) {
    return progress instanceof Map<?, ?> details ? details : Map.of("stage", progress);
  }
}
