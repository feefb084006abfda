package dev.damask.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntFunction;

/// The names that many tokens wait for. A state with many waiting tokens keeps it, so that the
/// names are known without visiting the tokens or the addresses they wait at.
public final class WaitNames {
  /// With fewer tokens than this, visiting them costs less than counting.
  public static final int COUNTED_MIN = 64;

  private final IntFunction<List<String>> namesAt;
  private final TreeMap<Integer, Integer> tokens = new TreeMap<>(); // by address
  private final TreeMap<String, Integer> addresses = new TreeMap<>(); // by name

  /// @param namesAt what a token at an address waits for
  public WaitNames(IntFunction<List<String>> namesAt) {
    this.namesAt = namesAt;
  }

  /// The names that tokens wait for at addresses, without counting them.
  public static Collection<String> of(
      Iterable<Integer> addresses, IntFunction<List<String>> namesAt) {
    TreeSet<String> names = new TreeSet<>();
    addresses.forEach(address -> names.addAll(namesAt.apply(address)));
    return names;
  }

  public void add(int address) {
    if (tokens.merge(address, 1, Integer::sum) == 1) {
      namesAt.apply(address).forEach(name -> addresses.merge(name, 1, Integer::sum));
    }
  }

  public void remove(int address) {
    if (less(tokens, address)) {
      namesAt.apply(address).forEach(name -> less(addresses, name));
    }
  }

  /// Takes one away; whether it was the last.
  private static <K> boolean less(TreeMap<K, Integer> counts, K key) {
    Integer left = counts.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1);
    return left == null;
  }

  /// The names, each once, in order.
  public List<String> names() {
    return new ArrayList<>(addresses.keySet());
  }
}
