package dev.damask.nursery;

import java.util.Locale;
import java.util.Objects;

/// The reason for a cancellation: its origin and a detail for people.
public record CancelReason(Kind kind, String detail) {

  public CancelReason {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(detail, "detail");
  }

  /// The origin of a cancellation.
  public enum Kind {
    /// A caller called `cancel`.
    EXPLICIT,
    /// The owner was cancelled or has ended.
    PARENT,
    /// A sibling failed.
    FAILURE,
    /// A deadline passed.
    TIMEOUT
  }

  /// Creates the reason for a cancellation that a caller requested.
  public static CancelReason explicit(String detail) {
    return new CancelReason(Kind.EXPLICIT, detail);
  }

  static CancelReason parent(String detail) {
    return new CancelReason(Kind.PARENT, detail);
  }

  static CancelReason failure(String detail) {
    return new CancelReason(Kind.FAILURE, detail);
  }

  static CancelReason timeout(String detail) {
    return new CancelReason(Kind.TIMEOUT, detail);
  }

  /// Returns the reason for the tokens and children one level below.
  CancelReason handedDown() {
    return kind == Kind.PARENT ? this : parent(text());
  }

  /// Returns the reason as a short text for people.
  public String text() {
    String who = kind.name().toLowerCase(Locale.ROOT);
    return detail.isEmpty() ? who : who + ": " + detail;
  }
}
