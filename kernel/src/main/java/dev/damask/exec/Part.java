package dev.damask.exec;

import org.jspecify.annotations.Nullable;

/// A piece of a state that is stored by itself: a token or a frame. Everything that changes it goes
/// through its setters, which mark it, so that a delta visits only the pieces that were changed.
abstract sealed class Part permits Token, Frame {
  final Marks marks;

  /// Whether it was changed since the last delta.
  boolean isTouched;

  /// Whether the list of its marks has it.
  boolean isListed;

  /// What is stored of it: the hash that the sum of the case contains, and the size. Zero before it
  /// is stored.
  long high;

  long low;
  int size;

  /// The numbers of its context and stamps in the last record; only hints.
  int contextNumber;

  int stampsNumber;

  Part(Marks marks) {
    this.marks = marks;
  }

  /// Marks it as changed.
  final void touch() {
    if (!isTouched) {
      isTouched = true;
      marks.list(this);
    }
  }

  /// Whether it belongs to the state no more.
  abstract boolean isGone();

  /// A group of fields of a part, which marks the part.
  abstract static class Owned {
    /// Null while the part it will belong to is being built.
    @Nullable Part owner;

    final void touch() {
      if (owner != null) {
        owner.touch();
      }
    }
  }
}
