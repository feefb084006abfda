package dev.damask.script;

import dev.damask.effect.Receipt;
import dev.damask.event.Failure;
import dev.damask.value.Context;

/// How a step of a script ended.
public sealed interface StepEnding {
  /// It has a result.
  record Ok(Context result) implements StepEnding {}

  /// It failed for good.
  record Failed(String reason, String detail) implements StepEnding {
    private static final Failed UNKNOWN =
        new Failed(Failure.UNKNOWN_OUTCOME, "the step may have happened");

    /// Returns the failure that a receipt contains. That of a refusal is its first word.
    public static Failed of(Receipt.Result receipt) {
      return switch (receipt) {
        case Receipt.Result.Failed(var reason, var detail) -> new Failed(reason, detail);
        case Receipt.Result.Refused(var why) -> {
          int colon = Math.max(why.indexOf(": "), 0);
          yield new Failed(
              colon == 0 ? Failure.NOT_ALLOWED : why.substring(0, colon),
              colon == 0 ? why : why.substring(colon + 2));
        }
        default -> UNKNOWN;
      };
    }
  }

  /// It was cancelled because another item of the same `all` failed.
  record Cancelled() implements StepEnding {}
}
