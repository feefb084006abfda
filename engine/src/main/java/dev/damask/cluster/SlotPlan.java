package dev.damask.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/// Who should own which slot. A plan is a pure function of the living nodes and the present owners.
/// It assigns every slot to a living owner, lets the numbers of slots of two nodes differ by at
/// most one and moves as few slots as possible.
public final class SlotPlan {
  /// The owner of a slot without an owner.
  public static final int NO_NODE = 0;

  private SlotPlan() {}

  /// Returns the owner of each slot after balancing.
  ///
  /// @param living the nodes that may own slots; the plan leaves all slots unowned if there are
  ///   none
  /// @param owners the present owner of each slot; [#NO_NODE] or a node that is not living if the
  ///   slot needs another one
  public static int[] balance(Collection<Integer> living, int[] owners) {
    int[] planned = owners.clone();
    Map<Integer, Integer> missing = missing(living, owners);
    List<Integer> takers = new ArrayList<>();
    new TreeSet<>(living)
        .forEach(node -> {
          for (int i = missing.getOrDefault(node, 0); i > 0; i--) {
            takers.add(node);
          }
        });
    int next = 0;
    // From the last slot, so that the slots a node keeps are those it has had for longest in a
    // cluster that grows.
    for (int slot = owners.length - 1; slot >= 0; slot--) {
      Integer left = missing.get(owners[slot]);
      if (left == null) {
        planned[slot] = takers.isEmpty() ? NO_NODE : takers.get(next++);
      } else if (left < 0) {
        missing.put(owners[slot], left + 1);
        planned[slot] = takers.get(next++);
      }
    }
    return planned;
  }

  /// Returns the owners after one node has given away what [#balance] takes from it, and after
  /// every slot without a living owner has got one. Slots of other living nodes stay, also those of
  /// nodes that are leaving.
  public static int[] give(int giver, LivingNodes living, int[] owners) {
    int[] planned = balance(living.takers(), owners);
    for (int slot = 0; slot < owners.length; slot++) {
      if (owners[slot] != giver && living.keeps(owners[slot])) {
        planned[slot] = owners[slot];
      }
    }
    return planned;
  }

  /// Returns the owners after every slot without a living owner has got one. Slots of living nodes
  /// stay, also those of nodes that are leaving, so that no node loses a slot without its own
  /// doing.
  public static int[] adopt(LivingNodes living, int[] owners) {
    int[] planned = owners.clone();
    Map<Integer, Integer> counts = counts(living.takers(), owners);
    Comparator<Integer> fewest = Comparator.comparing(counts::get);
    for (int slot = 0; slot < owners.length; slot++) {
      if (!living.keeps(owners[slot])) {
        planned[slot] =
            counts.keySet().stream()
                .min(fewest.thenComparing(Comparator.naturalOrder()))
                .orElse(NO_NODE);
        counts.computeIfPresent(planned[slot], (_, count) -> count + 1);
      }
    }
    return planned;
  }

  /// Returns how many slots each living node lacks; negative if it has too many. The nodes that
  /// have most keep the larger shares, which saves moves.
  private static Map<Integer, Integer> missing(Collection<Integer> living, int[] owners) {
    Map<Integer, Integer> counts = counts(living, owners);
    if (counts.isEmpty()) {
      return counts;
    }
    List<Integer> most = new ArrayList<>(counts.keySet());
    most.sort(
        Comparator.<Integer, Integer>comparing(counts::get)
            .reversed()
            .thenComparing(Comparator.naturalOrder()));
    int share = owners.length / most.size();
    int larger = owners.length % most.size();
    Map<Integer, Integer> missing = new HashMap<>();
    for (int i = 0; i < most.size(); i++) {
      int node = most.get(i);
      missing.put(node, share + (i < larger ? 1 : 0) - counts.getOrDefault(node, 0));
    }
    return missing;
  }

  private static Map<Integer, Integer> counts(Collection<Integer> living, int[] owners) {
    Map<Integer, Integer> counts = new HashMap<>();
    living.forEach(node -> counts.put(node, 0));
    for (int owner : owners) {
      counts.computeIfPresent(owner, (_, count) -> count + 1);
    }
    return counts;
  }
}
