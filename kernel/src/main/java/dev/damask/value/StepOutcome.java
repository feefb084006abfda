package dev.damask.value;

import java.util.Locale;

/// How the evaluation of a step ended.
public enum StepOutcome {
  VALID,
  INVALID,
  /// The process ends without a branch.
  ABORTED,
  /// Every process ends.
  CANCELLED;

  private final String word = name().toLowerCase(Locale.ROOT);

  /// As it is in a trace.
  public String word() {
    return word;
  }
}
