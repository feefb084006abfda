package dev.damask.document;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What a document says about the running of its cases besides the limits of the term.
///
/// @param quantumSteps how many steps a case may take before another has its turn; 0 leaves it to
///   the engine
/// @param caseTime how long a case may take; null when there is no limit
public record RunLimits(int quantumSteps, @Nullable Duration caseTime) {
  public static final RunLimits NONE = new RunLimits(0, null);
}
