package dev.damask.store;

import dev.damask.value.Numbered;
import java.util.List;

/// Where a case stands, as the store keeps it.
public enum CaseStatus implements Numbered {
  /// It can still move by itself.
  RUNNING(0),
  /// Only an effect, a timer or a signal can move it on.
  WAITING(1),
  /// Nothing can move it on; it can still be cancelled.
  DEADLOCKED(2),
  /// It broke the engine and was put aside with the evidence.
  QUARANTINED(3),

  /// It ended with a result.
  COMPLETED(4),

  /// It ended with a failure.
  FAILED(5),

  /// It ended without a result because it was cancelled.
  CANCELLED(6),
  /// What the store has of it cannot be read. Lists and views show this; no case is stored with it.
  CORRUPT(7);

  private static final List<CaseStatus> BY_NUMBER = Numbered.ordered(values());

  private final int number;

  CaseStatus(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }

  /// Returns the constants in the order of their numbers.
  public static List<CaseStatus> byNumber() {
    return BY_NUMBER;
  }

  /// Returns whether the case has ended.
  public boolean isEnded() {
    return switch (this) {
      case COMPLETED, FAILED, CANCELLED -> true;
      case RUNNING, WAITING, DEADLOCKED, QUARANTINED, CORRUPT -> false;
    };
  }
}
