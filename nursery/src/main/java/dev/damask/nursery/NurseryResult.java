package dev.damask.nursery;

import java.util.List;
import java.util.stream.Collectors;

/// The result of a nursery. An error takes precedence over a cancellation, in both orders.
public sealed interface NurseryResult {
  /// No child failed, the nursery was not cancelled, and no child missed its deadline. A child that
  /// was cancelled individually may have stopped without a value.
  record Success() implements NurseryResult {}

  /// A child failed. `errors` begins with `first`. Under `ErrorPolicy.COLLECT_ALL` it holds the
  /// later errors as well; otherwise they are suppressed exceptions of the first, and `errors`
  /// holds only those that the first exception does not accept as suppressed ones.
  record Failed(ChildError first, List<ChildError> errors) implements NurseryResult {
    public Failed {
      errors = List.copyOf(errors);
    }
  }

  /// No child failed, but the nursery was cancelled, or a child stopped because of its deadline;
  /// the reason then names the child.
  record Cancelled(CancelReason reason) implements NurseryResult {}

  /// The nursery has not ended: these children still run. Only `awaitAll` with a timeout returns
  /// this.
  record Pending(List<ChildSnapshot> notHome) implements NurseryResult {
    public Pending {
      notHome = List.copyOf(notHome);
    }
  }

  /// Throws unless the result is a success: `NurseryFailed` with the first error as its cause,
  /// `NurseryCancelled`, or `IllegalStateException` if it has not ended.
  default void orThrow() {
    switch (this) {
      case Success() -> {}
      case Failed(var first, var errors) -> throw NurseryFailed.of(first, errors);
      case Cancelled(var reason) -> throw new NurseryCancelled("nursery", reason);
      case Pending(var notHome) ->
          throw new IllegalStateException(
              "the nursery has not ended; children still running: "
                  + notHome.stream().map(ChildSnapshot::name).collect(Collectors.joining(", ")));
    }
  }
}
