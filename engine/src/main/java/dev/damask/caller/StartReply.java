package dev.damask.caller;

import dev.damask.value.Numbered;
import java.util.List;

/// The reply to a request to start a case.
///
/// @param revision the durable revision of the case when the request was answered
public record StartReply(Kind kind, long revision) {
  /// The reply in a handle that no start returned.
  public static final StartReply NONE = new StartReply(Kind.EXISTING, 0);

  /// Whether a case was created.
  public enum Kind implements Numbered {
    /// The case was created.
    STARTED(0),
    /// A case with this id existed; it is unchanged.
    EXISTING(1);

    private static final List<Kind> BY_NUMBER = Numbered.ordered(values());

    private final int number;

    Kind(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }

    /// Returns the constants in the order of their numbers.
    public static List<Kind> byNumber() {
      return BY_NUMBER;
    }
  }

  /// Returns whether the request created the case.
  public boolean isNew() {
    return kind == Kind.STARTED;
  }
}
