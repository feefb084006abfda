package dev.damask.task;

import dev.damask.value.Numbered;
import java.util.List;

/// How often an effect may reach the external system when the engine cannot know whether it already
/// has.
public enum Delivery implements Numbered {
  /// At least once, always with the same idempotency key.
  KEYED(0),
  /// Never twice; an unknown outcome fails the task with `unknown_outcome`.
  AT_MOST_ONCE(1),
  /// Any number of times; the result that was used is recorded like any other.
  READ(2),
  /// Once: the handler runs in the transaction that commits its case. Only on a store whose
  /// transactions handlers can join.
  EXACTLY_ONCE(3);

  private static final List<Delivery> BY_NUMBER = Numbered.ordered(values());

  private final int number;

  Delivery(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }

  /// Returns the constants in the order of their numbers.
  public static List<Delivery> byNumber() {
    return BY_NUMBER;
  }
}
