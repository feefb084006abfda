package dev.damask.state;

import dev.damask.value.Sum;
import org.jspecify.annotations.Nullable;

/// A piece of a state that is stored by itself: a token or a frame. Everything that changes it goes
/// through its setters, which mark it, so that a delta visits only the pieces that were changed.
public abstract sealed class Part permits Token, Frame {
  public final PartMarks marks;

  /// Whether it was changed since the last delta.
  public boolean isTouched;

  /// Whether the list of its marks has it.
  boolean isListed;

  /// What is stored of it. One reference: tokens of states that no log writes stay small.
  public Written written = Written.NONE;

  /// What is stored of a part.
  ///
  /// @param high with `low` the hash that the sum of the case contains
  /// @param size 0 before it is stored
  /// @param contextNumber with `stampsNumber` the contexts in the last record; only hints
  public record Written(long high, long low, int size, int contextNumber, int stampsNumber) {
    public static final Written NONE = new Written(0, 0, 0, 0, 0);

    public Sum hash() {
      return new Sum(high, low);
    }
  }

  Part(PartMarks marks) {
    this.marks = marks;
  }

  /// PartMarks it as changed.
  final void touch() {
    if (!isTouched) {
      isTouched = true;
      marks.list(this);
    }
  }

  /// Whether it belongs to the state no more.
  public abstract boolean isGone();

  /// A group of fields of a part, which marks the part.
  abstract static class Owned {
    /// Null while the part it will belong to is being built.
    public @Nullable Part owner;

    final void touch() {
      if (owner != null) {
        owner.touch();
      }
    }
  }
}
