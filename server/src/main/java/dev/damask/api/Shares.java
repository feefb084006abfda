package dev.damask.api;

import java.util.HashMap;
import java.util.Map;

/// Places that all callers share, such as open streams. A token has at most three quarters of them,
/// so that one token cannot block the others.
///
/// All methods may be called by any thread.
public final class Shares {
  private final String what;
  private final int most;
  private final int each;
  private final Map<String, Integer> byName = new HashMap<>(); // with its lock
  private int used; // with the lock of the map

  /// Creates places.
  ///
  /// @param what they are, for messages, such as `event streams are open`
  /// @param most how many there are
  public Shares(String what, int most) {
    this.what = what;
    this.most = most;
    this.each = most - most / 4;
  }

  /// Takes a place. Throws [Problem] if all are taken, or the caller has its share.
  public void take(Caller caller) {
    synchronized (byName) {
      require(caller.name());
      byName.merge(caller.name(), 1, Integer::sum);
      used++;
    }
  }

  /// Throws [Problem] if [#take] would, and takes nothing.
  public void require(Caller caller) {
    synchronized (byName) {
      require(caller.name());
    }
  }

  private void require(String name) {
    if (used >= most) {
      throw new Problem(Problem.Kind.TOO_MANY, "too many " + what + "; try again later");
    }
    if (byName.getOrDefault(name, 0) >= each) {
      throw new Problem(
          Problem.Kind.TOO_MANY,
          "too many %s for one token, at most %d; try again later".formatted(what, each));
    }
  }

  /// Releases a place.
  public void release(Caller caller) {
    synchronized (byName) {
      byName.computeIfPresent(caller.name(), (_, count) -> count == 1 ? null : count - 1);
      used--;
    }
  }

  /// Returns how many places are taken.
  public int used() {
    synchronized (byName) {
      return used;
    }
  }
}
