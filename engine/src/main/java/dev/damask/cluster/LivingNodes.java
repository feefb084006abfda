package dev.damask.cluster;

import java.util.Set;
import java.util.TreeSet;

/// The nodes of a cluster that are not fenced.
///
/// @param takers those that may get slots
/// @param leaving those that get none any more, but keep theirs until they hand them over: their
///   slots move only with their lock and a new epoch of theirs
public record LivingNodes(Set<Integer> takers, Set<Integer> leaving) {
  public LivingNodes {
    takers = Set.copyOf(takers);
    leaving = Set.copyOf(leaving);
  }

  /// Returns nodes of which none is leaving.
  public static LivingNodes of(Set<Integer> takers) {
    return new LivingNodes(takers, Set.of());
  }

  /// Returns whether no node but the owner itself may give its slots away.
  boolean keeps(int owner) {
    return takers.contains(owner) || leaving.contains(owner);
  }

  /// Returns these nodes and one more that may get slots.
  public LivingNodes with(int node) {
    Set<Integer> more = new TreeSet<>(takers);
    more.add(node);
    return new LivingNodes(more, leaving);
  }

  /// Returns these nodes without one that is gone.
  public LivingNodes without(int node) {
    Set<Integer> less = new TreeSet<>(takers);
    less.remove(node);
    Set<Integer> lessLeaving = new TreeSet<>(leaving);
    lessLeaving.remove(node);
    return new LivingNodes(less, lessLeaving);
  }
}
