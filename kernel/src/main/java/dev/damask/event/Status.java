package dev.damask.event;

import dev.damask.value.Numbered;
import java.util.List;

/// The status of a case.
public enum Status implements Numbered {
  /// Some token can move.
  RUNNING(0),
  /// It waits for an effect, a timer or a signal.
  WAITING(1),
  /// It is deadlocked: no event can move it. It can still be cancelled.
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
