package dev.damask.term;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a cancel scope does beyond being cancellable.
///
/// @param timeout how long the scope may be open; null when there is no limit
/// @param onTimeout what follows a time-out; null lets the scope fail with `timeout`
/// @param handler the catch: what follows a failure inside; null passes the failure outwards
/// @param undo whether completed tasks are undone before the scope fails or is cancelled
/// @param allow the effect types allowed inside; null allows what the scope around it allows
public record ScopeOptions(
    @Nullable Duration timeout,
    @Nullable Term onTimeout,
    @Nullable Term handler,
    boolean undo,
    @Nullable List<String> allow) {
  public static final ScopeOptions NONE = new ScopeOptions(null, null, null, false, null);

  public ScopeOptions {
    if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
      throw new IllegalArgumentException("a scope's timeout is positive, got " + timeout);
    }
    if (timeout == null && onTimeout != null) {
      throw new IllegalArgumentException("onTimeout needs a timeout");
    }
    allow = allow == null ? null : List.copyOf(allow);
  }

  public static ScopeOptions undoing() {
    return new ScopeOptions(null, null, null, true, null);
  }

  public static ScopeOptions catching(Term handler) {
    return new ScopeOptions(null, null, handler, false, null);
  }
}
