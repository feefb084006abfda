package dev.damask.caller;

/// The reply to a request to start a case.
///
/// @param revision the durable revision of the case when the request was answered
public record StartReply(Kind kind, long revision) {
  /// The reply in a handle that no start returned.
  public static final StartReply NONE = new StartReply(Kind.EXISTING, 0);

  /// Whether a case was created.
  public enum Kind {
    /// The case was created.
    STARTED,
    /// A case with this id existed; it is unchanged.
    EXISTING
  }

  /// Returns whether the request created the case.
  public boolean isNew() {
    return kind == Kind.STARTED;
  }
}
