package dev.damask.event;

import dev.damask.value.Context;
import java.util.List;
import java.util.OptionalLong;

/// Why the machine stopped.
public sealed interface Outcome {
  /// The case completed with this context.
  record Done(Context context) implements Outcome {}

  /// The quantum is used up; there is more to do.
  record Yielded() implements Outcome {}

  /// The case waits for effects, signals or timers.
  ///
  /// @param places the external places it waits for
  /// @param sets the instance sets that stay open until they are closed
  record Waits(
      List<EffectRequest> effects, List<String> places, List<String> sets, OptionalLong nextDue)
      implements Outcome {}

  /// The case failed.
  record Failed(Failure failure) implements Outcome {}

  /// The case ended without a result because something was cancelled.
  ///
  /// @param scope the scope, set of instances or task that was cancelled; `case` for the whole
  /// @param reason the caller's reason, or a short word; empty in a state of an older version
  /// @param detail more about the reason; often empty
  record Cancelled(String scope, String reason, String detail) implements Outcome {}

  /// Nothing can move the case on. One line for each token, place or join concerned.
  record Deadlocked(List<String> report) implements Outcome {}
}
