package dev.damask.check;

import dev.damask.check.KeyAccess.Writes;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Numbers the keys of a workflow, so that sets of keys are bit sets.
final class KeyTable {
  /// Stands for all keys that are not known. It is never in a set of keys that surely exist.
  static final int OTHERS = 0;

  /// The keys after a term that never completes: it counts as writing every key. Compared by
  /// identity and never changed.
  static final BitSet EVERY = new BitSet();

  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<String> names = new ArrayList<>(List.of(""));

  int number(String key) {
    Integer known = numbers.putIfAbsent(key, names.size());
    if (known != null) {
      return known;
    }
    names.add(key);
    return names.size() - 1;
  }

  /// Returns the number of a key, or [#OTHERS] if no leaf writes it.
  int find(String key) {
    return numbers.getOrDefault(key, OTHERS);
  }

  int size() {
    return names.size();
  }

  String name(int number) {
    return names.get(number);
  }

  Set<String> names(BitSet keys) {
    Set<String> found = new TreeSet<>();
    keys.stream().filter(number -> number != OTHERS).forEach(n -> found.add(names.get(n)));
    return found;
  }

  BitSet set(Collection<String> keys) {
    BitSet set = new BitSet();
    keys.forEach(key -> set.set(number(key)));
    return set;
  }

  BitSet always(Writes writes) {
    return set(writes.always());
  }

  BitSet possible(Writes writes) {
    BitSet set = set(writes.always());
    writes.sometimes().forEach(key -> set.set(number(key)));
    set.set(OTHERS, writes.others());
    return set;
  }

  /// Returns the keys that exist if both hold.
  static BitSet plus(BitSet one, BitSet other) {
    if (one == EVERY || other == EVERY) {
      return EVERY;
    }
    BitSet sum = (BitSet) one.clone();
    sum.or(other);
    return sum;
  }

  /// Returns the keys that exist if one of both holds.
  static BitSet meet(BitSet one, BitSet other) {
    if (one == EVERY || other == EVERY) {
      return one == EVERY ? other : one;
    }
    BitSet both = (BitSet) one.clone();
    both.and(other);
    return both;
  }

  static boolean isSame(BitSet one, BitSet other) {
    boolean isEvery = one == EVERY || other == EVERY;
    return isEvery ? one == other : one.equals(other);
  }
}
