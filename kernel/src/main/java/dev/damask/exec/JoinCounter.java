package dev.damask.exec;

import dev.damask.task.Context;
import dev.damask.term.JoinPolicy;
import org.jspecify.annotations.Nullable;

/// What the join of one block activation has got so far.
final class JoinCounter {
  /// The selected branches, by their number in the text.
  final int[] selected;

  /// The context each selected branch delivered; null while it has not.
  final @Nullable Context[] got;

  final @Nullable Context[] gotStamps;
  int gotCount;
  int dead;
  boolean fired;
  boolean aborted;

  JoinCounter(int[] selected, boolean stamps) {
    this.selected = selected;
    this.got = new Context[selected.length];
    this.gotStamps = stamps ? new Context[selected.length] : got;
  }

  /// What the counts mean for a policy.
  enum Verdict {
    FIRE,
    ABORT,
    WAIT
  }

  Verdict verdict(JoinPolicy policy) {
    int need = policy.need() instanceof JoinPolicy.Need.Count(int k) ? k : selected.length;
    if (policy.shortage() == JoinPolicy.Shortage.SHRINK) {
      need = Math.min(need, selected.length - dead);
    }
    int alive = selected.length - gotCount - dead;
    if (gotCount >= need && gotCount >= 1) {
      return Verdict.FIRE;
    }
    return gotCount + alive < need || (alive == 0 && gotCount == 0) ? Verdict.ABORT : Verdict.WAIT;
  }

  boolean isDecided() {
    return fired || aborted;
  }
}
