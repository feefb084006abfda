package dev.damask.nursery;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// The state of a nursery and the number of its running children, in one atomic word.
///
/// The low three bits are the state, the rest is the count. Because both change in the same
/// compare-and-set, no child can enter a nursery that has just closed (N2), and exactly one step
/// ends a nursery: the one that leaves the count at zero outside `OPEN` (N3). A step into `CLOSING`
/// or `CANCELLING` without running children leads to the terminal state.
///
/// No method leaves a terminal state or returns to `OPEN`, so these transitions need no check.
final class StateWord {

  /// The effect of a call.
  enum Step {
    /// The state does not allow the step; the word is unchanged.
    REFUSED,
    /// The word changed and the nursery has not ended.
    MOVED,
    /// The word changed and the nursery reached a terminal state. The caller must finish it.
    ENDED
  }

  private static final int COUNT_SHIFT = 3;
  private static final long STATE_MASK = (1L << COUNT_SHIFT) - 1;
  private static final long ONE_CHILD = 1L << COUNT_SHIFT;

  private static final int OPEN = 0;
  private static final int CLOSING = 1;
  private static final int CANCELLING = 2;
  private static final int CLOSED = 3;
  private static final int CANCELLED = 4;

  private static final VarHandle WORD;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(StateWord.class, "word", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // written by anyone, only by compare-and-set through WORD
  private volatile long word = OPEN;

  /// Counts one more child if the nursery is open.
  Step enter() {
    while (true) {
      long seen = word;
      if (stateBits(seen) != OPEN) {
        return Step.REFUSED;
      }
      if (WORD.compareAndSet(this, seen, seen + ONE_CHILD)) {
        return Step.MOVED;
      }
    }
  }

  /// Counts one child less. The last child of a nursery that is not open ends it.
  Step leave() {
    while (true) {
      long seen = word;
      if (seen < ONE_CHILD) {
        throw new IllegalStateException("N1: expected a running child, found none");
      }
      long next = settled(seen - ONE_CHILD);
      if (WORD.compareAndSet(this, seen, next)) {
        return isTerminal(next) ? Step.ENDED : Step.MOVED;
      }
    }
  }

  /// Stops accepting children.
  Step close() {
    while (true) {
      long seen = word;
      if (stateBits(seen) != OPEN) {
        return Step.REFUSED;
      }
      long next = settled(withState(seen, CLOSING));
      if (WORD.compareAndSet(this, seen, next)) {
        return isTerminal(next) ? Step.ENDED : Step.MOVED;
      }
    }
  }

  /// Stops accepting children and cancels the nursery.
  Step cancel() {
    while (true) {
      long seen = word;
      int state = stateBits(seen);
      if (state != OPEN && state != CLOSING) {
        return Step.REFUSED;
      }
      long next = settled(withState(seen, CANCELLING));
      if (WORD.compareAndSet(this, seen, next)) {
        return isTerminal(next) ? Step.ENDED : Step.MOVED;
      }
    }
  }

  NurseryState state() {
    return switch (stateBits(word)) {
      case OPEN -> NurseryState.OPEN;
      case CLOSING -> NurseryState.CLOSING;
      case CANCELLING -> NurseryState.CANCELLING;
      case CLOSED -> NurseryState.CLOSED;
      case CANCELLED -> NurseryState.CANCELLED;
      default ->
          throw new IllegalStateException("N3: expected one of five states, found word " + word);
    };
  }

  long running() {
    return word >>> COUNT_SHIFT;
  }

  private static long settled(long word) {
    if (word == CLOSING) {
      return CLOSED;
    }
    return word == CANCELLING ? CANCELLED : word;
  }

  private static long withState(long word, int state) {
    return (word & ~STATE_MASK) | state;
  }

  private static int stateBits(long word) {
    return (int) (word & STATE_MASK);
  }

  private static boolean isTerminal(long word) {
    return word == CLOSED || word == CANCELLED;
  }
}
