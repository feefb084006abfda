package dev.damask.expression;

import dev.damask.task.Context;
import dev.damask.task.ExpressionFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The variables of macros during one evaluation, and the count of their rounds.
final class Locals {
  /// How many rounds all macros of one evaluation may take together.
  static final int ROUNDS_MAX = 100_000;

  /// Serves expressions without macros; nothing is ever written to it.
  static final Locals NONE = new Locals(0);

  private final @Nullable Object[] slots;
  private int rounds;

  Locals(int size) {
    this.slots = new Object[size];
  }

  /// A list that only its accumulator sees while it grows.
  private static final class Growing extends ArrayList<@Nullable Object> {
    private static final long serialVersionUID = 1L;
  }

  /// Reads a slot; a failure that was kept in it happens now.
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

  /// Takes one step of a fold. A failure stays in the accumulator, where a later step may absorb
  /// it.
  void step(int slot, Closures.Node step, Context context) {
    try {
      slots[slot] = step.value(context, this);
    } catch (ExpressionFailure failure) {
      slots[slot] = failure;
    }
  }

  /// The list in a slot with one more item.
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

  /// Counts a round; false when there have been too many.
  boolean count() {
    return ++rounds <= ROUNDS_MAX;
  }
}
