package dev.damask.document;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The limits of a document's cases other than those of the term.
///
/// @param quantumSteps the number of steps before another case runs; 0 for the engine's default
/// @param caseTime the maximum duration of a case; null without a limit
public record RunLimits(int quantumSteps, @Nullable Duration caseTime) {
  public static final RunLimits NONE = new RunLimits(0, null);
}
