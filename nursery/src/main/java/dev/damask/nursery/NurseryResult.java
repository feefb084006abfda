package dev.damask.nursery;

import java.util.List;
import java.util.stream.Collectors;

/// How a nursery ended. An error beats a cancellation, whichever came first.
public sealed interface NurseryResult {
  /// Every child returned.
  record Success() implements NurseryResult {}

  /// A child failed. `errors` begins with `first`; it holds the others as well when the nursery
  /// collects all, otherwise they are suppressed exceptions of the first.
  record Failed(ChildError first, List<ChildError> errors) implements NurseryResult {
    public Failed {
      errors = List.copyOf(errors);
    }
  }

  /// It was cancelled and no child failed.
  record Cancelled(CancelReason reason) implements NurseryResult {}

  /// It has not ended: these children have not come home. Only waiting with a deadline says this.
  record Pending(List<ChildSnapshot> notHome) implements NurseryResult {
    public Pending {
      notHome = List.copyOf(notHome);
    }
  }

  /// Throws unless it is a success: `NurseryFailed` with the first error as its cause,
  /// `NurseryCancelled`, or `IllegalStateException` if it has not ended.
  default void orThrow() {
    switch (this) {
      case Success() -> {}
      case Failed(var first, var _) ->
          throw new NurseryFailed("child " + first.child() + " failed", first.error());
      case Cancelled(var reason) -> throw new NurseryCancelled("nursery", reason);
      case Pending(var notHome) ->
          throw new IllegalStateException(
              "expected all children home, still missing: "
                  + notHome.stream().map(ChildSnapshot::name).collect(Collectors.joining(", ")));
    }
  }
}
