package dev.damask.exec;

import java.util.TreeMap;

/// How many tokens wait at each address of a program. A state with many waiting tokens keeps it, so
/// that the addresses are known without visiting the tokens.
final class AddressCounts {
  /// With fewer tokens than this, visiting them costs less than counting.
  static final int COUNTED_MIN = 64;

  private final TreeMap<Integer, Integer> counts = new TreeMap<>();

  void add(int address) {
    counts.merge(address, 1, Integer::sum);
  }

  void remove(int address) {
    counts.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
  }

  /// The addresses with at least one token, in order.
  Iterable<Integer> addresses() {
    return counts.keySet();
  }
}
