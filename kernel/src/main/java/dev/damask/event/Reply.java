package dev.damask.event;

import dev.damask.value.Numbered;
import java.util.List;

/// How a case replied to an input. None of the replies damages the case.
public enum Reply implements Numbered {
  /// The case accepted the input.
  ACCEPTED(0),
  /// No token waited for the signal, and its place keeps nothing.
  LOST(1),
  /// No token waited for the signal; its place keeps it.
  BUFFERED(2),
  /// The case does not accept the input: no such place, a closed set of instances, a full place.
  REJECTED(3),
  /// The task has already ended.
  LATE(4),

  /// No open scope, set of instances or task has the name.
  NO_SUCH_REGION(5),

  /// The case has ended.
  CASE_ENDED(6),

  /// The case is paused: the input is durable and is applied when the case is resumed.
  STORED(7);

  private static final List<Reply> BY_NUMBER = Numbered.ordered(values());

  private final int number;

  Reply(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }

  /// Returns the constants in the order of their numbers.
  public static List<Reply> byNumber() {
    return BY_NUMBER;
  }
}
