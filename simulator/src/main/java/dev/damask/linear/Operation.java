package dev.damask.linear;

import org.jspecify.annotations.Nullable;

/// One call of one client, from its beginning to its answer, on one common scale of time.
///
/// @param answer null while it is pending: the caller does not know whether it happened
public record Operation<C, A>(C call, @Nullable A answer, long invoked, long returned) {
  /// When a pending call returns.
  public static final long NEVER = Long.MAX_VALUE;

  public Operation {
    if (returned <= invoked) {
      throw new IllegalArgumentException(
          call + " was made at " + invoked + " and returned before, at " + returned);
    }
    if ((answer == null) != (returned == NEVER)) {
      throw new IllegalArgumentException(call + " has an answer exactly when it has returned");
    }
  }

  /// Returns a call without an answer.
  public static <C, A> Operation<C, A> pending(C call, long invoked) {
    return new Operation<>(call, null, invoked, NEVER);
  }

  /// It as one line, for people.
  String line() {
    return isPending()
        ? "%6d …        %s is pending".formatted(invoked, call)
        : "%6d … %6d %s: %s".formatted(invoked, returned, call, answer);
  }

  /// Returns whether there is no answer.
  public boolean isPending() {
    return answer == null;
  }
}
