package dev.damask.session;

import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A process that waits at a step and may be woken.
///
/// @param fields the inputs of its rule; empty when the rule is not known
public record WakeTarget(
    SessionKey session, long iteration, String step, OptionalLong nextWakeAt, List<Field> fields) {
  public WakeTarget {
    fields = List.copyOf(fields);
  }

  /// An input of the rule.
  ///
  /// @param isRequired whether the step is invalid without it
  /// @param isPresent whether the process has it already
  /// @param fallback its default; null when there is none
  public record Field(
      String name, String type, boolean isRequired, boolean isPresent, @Nullable Object fallback) {
    /// Whether the caller that wakes the step must supply it.
    public boolean isMissing() {
      return isRequired && !isPresent;
    }
  }
}
