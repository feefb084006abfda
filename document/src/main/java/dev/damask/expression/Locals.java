package dev.damask.expression;

import dev.damask.task.ExpressionFailure;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The variables of macros during one evaluation, with the number of rounds and the work done.
final class Locals {
  /// The maximum number of rounds of all macros in one evaluation.
  static final int ROUNDS_MAX = 100_000;

  /// The instance for expressions without macros; it is never written to.
  static final Locals NONE = new Locals(0, Work.UNBOUNDED);

  private final @Nullable Object[] slots;
  private final Work work;
  private int rounds;

  Locals(int size, Work work) {
    this.slots = new Object[size];
    this.work = work;
  }

  Work work() {
    return work;
  }

  /// A list that only its accumulator references while it grows.
  private static final class Growing extends ArrayList<@Nullable Object> {
    private static final long serialVersionUID = 1L;
  }

  /// Returns the value of a slot. Throws the failure if the slot holds one.
  @Nullable Object read(int slot) {
    Object value = slots[slot];
    if (value instanceof ExpressionFailure failure) {
      throw failure;
    }
    return value;
  }

  void write(int slot, @Nullable Object value) {
    slots[slot] = value;
  }

  /// Runs one step of a fold. A failure stays in the accumulator, where a later step may absorb it.
  void step(int slot, Closures.Node step, Context context) {
    try {
      slots[slot] = step.value(context, this);
    } catch (ExpressionFailure failure) {
      slots[slot] = failure;
    }
  }

  /// Returns the list in a slot with one more item.
  Object append(int slot, @Nullable Object item) {
    Object list = read(slot);
    if (list instanceof Growing own) {
      own.add(item);
      return own;
    }
    Growing growing = new Growing();
    growing.addAll((List<?>) Objects.requireNonNull(list));
    growing.add(item);
    return growing;
  }

  /// Counts a round. Returns false if the limit is exceeded.
  boolean count() {
    return ++rounds <= ROUNDS_MAX;
  }
}
