package dev.damask.nursery;

/// Why something was cancelled: who asked for it, and what they said.
public record CancelReason(Kind kind, String detail) {

  /// Who asked.
  public enum Kind {
    /// Somebody called `cancel`.
    EXPLICIT,
    /// What owns it was cancelled, or ended.
    PARENT,
    /// A sibling failed.
    FAILURE,
    /// A deadline passed.
    TIMEOUT
  }

  /// A cancellation that somebody asked for.
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

  /// The reason as those see it that stand one level below.
  CancelReason handedDown() {
    return kind == Kind.PARENT ? this : parent(text());
  }

  /// The reason in a few words, for people.
  public String text() {
    String who = kind.name().toLowerCase(java.util.Locale.ROOT);
    return detail.isEmpty() ? who : who + ": " + detail;
  }
}
