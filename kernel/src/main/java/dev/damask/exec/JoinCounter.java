package dev.damask.exec;

import dev.damask.term.JoinPolicy;
import dev.damask.value.Context;
import org.jspecify.annotations.Nullable;

/// What the join of one block activation has got so far.
final class JoinCounter extends Part.Owned {
  /// The selected branches, by their number in the text.
  final int[] selected;

  /// The context each selected branch delivered; null while it has not.
  final @Nullable Context[] got;

  final @Nullable Context[] gotStamps;
  int gotCount;
  int dead;
  boolean fired;
  boolean aborted;

  /// Whether it merges by comparing values alone: its block was stored before writes were recorded.
  boolean byValue;

  JoinCounter(int[] selected, boolean stamps) {
    this.selected = selected;
    this.got = new Context[selected.length];
    this.gotStamps = stamps ? new Context[selected.length] : got;
  }

  void setDead(int dead) {
    this.dead = dead;
    touch();
  }

  void setFired(boolean fired) {
    this.fired = fired;
    touch();
  }

  void setAborted(boolean aborted) {
    this.aborted = aborted;
    touch();
  }

  /// A branch has delivered.
  void deliver(Frame block, int branch, Context context, Context stamps) {
    got[branch] = context;
    if (gotStamps != got) {
      gotStamps[branch] = stamps;
    }
    gotCount++;
    block.touch(Marks.Entries.GOT, branch);
  }

  /// What the counts mean for a policy.
  enum Verdict {
    FIRE,
    ABORT,
    WAIT
  }

  Verdict verdict(JoinPolicy policy) {
    int need = needed(policy);
    if (policy.shortage() == JoinPolicy.Shortage.SHRINK) {
      need = Math.min(need, selected.length - dead);
    }
    int alive = selected.length - gotCount - dead;
    if (gotCount >= need && gotCount >= 1) {
      return Verdict.FIRE;
    }
    return gotCount + alive < need || (alive == 0 && gotCount == 0) ? Verdict.ABORT : Verdict.WAIT;
  }

  /// How many branches must deliver if none is lost.
  int needed(JoinPolicy policy) {
    return policy.need() instanceof JoinPolicy.Need.Count(int k) ? k : selected.length;
  }

  boolean isDecided() {
    return fired || aborted;
  }
}
