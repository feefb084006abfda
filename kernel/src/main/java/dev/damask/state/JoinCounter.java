package dev.damask.state;

import dev.damask.term.JoinPolicy;
import dev.damask.value.Context;
import org.jspecify.annotations.Nullable;

/// What the join of one block activation has got so far.
public final class JoinCounter extends Part.Owned {
  /// The selected branches, by their number in the text.
  public final int[] selected;

  /// The context each selected branch delivered; null while it has not.
  public final @Nullable Context[] got;

  public final @Nullable Context[] gotStamps;
  public int gotCount;
  public int dead;
  public boolean fired;
  public boolean aborted;

  /// Whether it merges by comparing values alone: its block was stored before writes were recorded.
  public boolean byValue;

  public JoinCounter(int[] selected, boolean stamps) {
    this.selected = selected;
    this.got = new Context[selected.length];
    this.gotStamps = stamps ? new Context[selected.length] : got;
  }

  public void setDead(int dead) {
    this.dead = dead;
    touch();
  }

  public void setFired(boolean fired) {
    this.fired = fired;
    touch();
  }

  public void setAborted(boolean aborted) {
    this.aborted = aborted;
    touch();
  }

  /// A branch has delivered.
  public void deliver(Frame block, int branch, Context context, Context stamps) {
    got[branch] = context;
    if (gotStamps != got) {
      gotStamps[branch] = stamps;
    }
    gotCount++;
    block.touch(PartMarks.Entries.GOT, branch);
  }

  /// What the counts mean for a policy.
  public enum Verdict {
    FIRE,
    ABORT,
    WAIT
  }

  public Verdict verdict(JoinPolicy policy) {
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
  public int needed(JoinPolicy policy) {
    return policy.need() instanceof JoinPolicy.Need.Count(int k) ? k : selected.length;
  }

  public boolean isDecided() {
    return fired || aborted;
  }
}
