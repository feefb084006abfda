package dev.damask.exec;

import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// What one activation of a set of instances has got so far.
final class InstanceSet extends Part.Owned {
  int made;

  /// The contexts of completed instances, by instance number.
  final TreeMap<Integer, Context> got = new TreeMap<>();

  int dead;
  boolean fired;

  /// Whether no further instance may be added.
  boolean sealed;

  /// How many must complete; -1 when all must, or a condition decides.
  long need = -1;

  void setMade(int made) {
    this.made = made;
    touch();
  }

  void setDead(int dead) {
    this.dead = dead;
    touch();
  }

  void setFired(boolean fired) {
    this.fired = fired;
    touch();
  }

  void setSealed(boolean sealed) {
    this.sealed = sealed;
    touch();
  }

  void setNeed(long need) {
    this.need = need;
    touch();
  }

  /// An instance has delivered.
  void deliver(Frame frame, int number, Context context) {
    got.put(number, context);
    frame.touch(Marks.Entries.GOT, number);
  }

  int alive() {
    return made - got.size() - dead;
  }

  List<Context> results() {
    return new ArrayList<>(got.values());
  }
}
