package dev.damask.exec;

import dev.damask.task.Context;
import java.util.List;
import java.util.OptionalLong;

/// Why the machine came back.
public sealed interface Outcome {
  /// The case completed with this context.
  record Done(Context context) implements Outcome {}

  /// The quantum is used up; there is more to do.
  record Yielded() implements Outcome {}

  /// Only the outside can move the case on.
  record Waits(List<EffectRequest> effects, List<String> places, OptionalLong nextDue)
      implements Outcome {}

  record Failed(Failure failure) implements Outcome {}

  record Cancelled() implements Outcome {}

  /// Nothing can move the case on. One line for each token, place or join concerned.
  record Deadlocked(List<String> report) implements Outcome {}
}
