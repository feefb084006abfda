package dev.damask.store;

import dev.damask.value.Numbered;
import java.util.List;

/// The status of a case as the store keeps it.
public enum CaseStatus implements Numbered {
  /// It can still move by itself.
  RUNNING(0),
  /// It waits for an effect, a timer or a signal.
  WAITING(1),
  /// It is deadlocked: no event can move it. It can still be cancelled.
  DEADLOCKED(2),
  /// It broke the engine and is quarantined. The evidence is stored with it.
  QUARANTINED(3),

  /// It ended with a result.
  COMPLETED(4),

  /// It ended with a failure.
  FAILED(5),

  /// It ended without a result because it was cancelled.
  CANCELLED(6),
  /// Its stored data cannot be read. Lists and views show this; no case is stored with it.
  CORRUPT(7),

  /// An operator has paused it. It stores its inputs and does nothing else.
  PAUSED(8);

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
      case RUNNING, WAITING, DEADLOCKED, QUARANTINED, CORRUPT, PAUSED -> false;
    };
  }
}
