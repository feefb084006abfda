package dev.damask.term;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The options of a cancel scope.
///
/// @param timeout how long the scope may be open; null when there is no limit
/// @param onTimeout what follows a timeout; null if the scope fails with `timeout`
/// @param handler the catch: what follows a failure inside; null passes the failure outwards
/// @param undo whether completed tasks are undone before the scope fails or is cancelled
/// @param allow the effect types allowed inside; null allows what the scope around it allows
/// @param marking the place that is marked while an activation is open; null marks none
/// @param listener the name of the engine's listener that is notified when an activation is
///   cancelled; null notifies none
public record ScopeOptions(
    @Nullable Duration timeout,
    @Nullable Term onTimeout,
    @Nullable Term handler,
    boolean undo,
    @Nullable List<String> allow,
    @Nullable String marking,
    @Nullable String listener) {
  /// A scope that can only be cancelled.
  public static final ScopeOptions NONE = new ScopeOptions(null, null, null, false, null);

  public ScopeOptions {
    if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
      throw new IllegalArgumentException("a scope's timeout must be positive, got " + timeout);
    }
    if (timeout == null && onTimeout != null) {
      throw new IllegalArgumentException("onTimeout requires a timeout");
    }
    allow = allow == null ? null : List.copyOf(allow);
    if (marking != null) {
      Names.require("marking", marking);
    }
    if (listener != null) {
      Names.require("listener", listener);
    }
  }

  /// The options of a scope that names no listener.
  public ScopeOptions(
      @Nullable Duration timeout,
      @Nullable Term onTimeout,
      @Nullable Term handler,
      boolean undo,
      @Nullable List<String> allow,
      @Nullable String marking) {
    this(timeout, onTimeout, handler, undo, allow, marking, null);
  }

  /// The options of a scope that marks no place.
  public ScopeOptions(
      @Nullable Duration timeout,
      @Nullable Term onTimeout,
      @Nullable Term handler,
      boolean undo,
      @Nullable List<String> allow) {
    this(timeout, onTimeout, handler, undo, allow, null);
  }

  /// Returns the options of a scope that undoes its completed tasks before it fails or is
  /// cancelled.
  public static ScopeOptions undoing() {
    return new ScopeOptions(null, null, null, true, null);
  }

  /// Returns the options of a scope that handles failures inside it.
  public static ScopeOptions catching(Term handler) {
    return new ScopeOptions(null, null, handler, false, null);
  }

  /// Returns these options for a scope that also marks a place while it is open.
  public ScopeOptions marking(String place) {
    return new ScopeOptions(timeout, onTimeout, handler, undo, allow, place, listener);
  }

  /// Returns these options for a scope that allows only effects of these types inside.
  public ScopeOptions allowing(String... types) {
    List<String> allowed = List.of(types);
    return new ScopeOptions(timeout, onTimeout, handler, undo, allowed, marking, listener);
  }

  /// Returns these options for a scope that notifies a listener of the engine when it is cancelled.
  public ScopeOptions notifying(String name) {
    return new ScopeOptions(timeout, onTimeout, handler, undo, allow, marking, name);
  }
}
