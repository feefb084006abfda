package dev.damask.event;

import dev.damask.value.Numbered;
import java.util.List;

/// Where a case stands.
public enum Status implements Numbered {
  /// Some token can move.
  RUNNING(0),
  /// Only an effect, a timer or a signal from outside can move it on.
  WAITING(1),
  /// Nothing can move it on; it can still be cancelled.
  DEADLOCKED(2),

  /// It ended with a result.
  COMPLETED(3),
  /// Ended without its main token ever reaching the end.
  CANCELLED(4),

  /// It ended with a failure.
  FAILED(5);

  private static final List<Status> BY_NUMBER = Numbered.ordered(values());

  private final int number;

  Status(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }

  /// Returns the constants in the order of their numbers.
  public static List<Status> byNumber() {
    return BY_NUMBER;
  }

  /// Returns whether the case has ended.
  public boolean isEnded() {
    return switch (this) {
      case COMPLETED, CANCELLED, FAILED -> true;
      case RUNNING, WAITING, DEADLOCKED -> false;
    };
  }
}
