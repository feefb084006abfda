package dev.damask.state;

import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// What one activation of a set of instances has got so far.
public final class InstanceSet extends Part.Owned {
  public int made;

  /// The contexts of completed instances, by instance number.
  public final TreeMap<Integer, Context> got = new TreeMap<>();

  public int dead;
  public boolean fired;

  /// Whether no further instance may be added.
  public boolean sealed;

  /// How many must complete; -1 when all must, or a condition decides.
  public long need = -1;

  public void setMade(int made) {
    this.made = made;
    touch();
  }

  public void setDead(int dead) {
    this.dead = dead;
    touch();
  }

  public void setFired(boolean fired) {
    this.fired = fired;
    touch();
  }

  public void setSealed(boolean sealed) {
    this.sealed = sealed;
    touch();
  }

  public void setNeed(long need) {
    this.need = need;
    touch();
  }

  /// An instance has delivered.
  public void deliver(Frame frame, int number, Context context) {
    got.put(number, context);
    frame.touch(PartMarks.Entries.GOT, number);
  }

  public int alive() {
    return made - got.size() - dead;
  }

  public List<Context> results() {
    return new ArrayList<>(got.values());
  }
}
