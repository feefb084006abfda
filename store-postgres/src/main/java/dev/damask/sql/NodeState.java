package dev.damask.sql;

import java.util.BitSet;

/// What a node knows about itself: its epoch and its slots, read in one snapshot.
///
/// @param epoch 0 if the node's row is gone
/// @param ownership grows with every change of ownership; an older state never replaces a newer one
/// @param slots must not be changed
public record NodeState(long epoch, long ownership, BitSet slots) {
  /// Returns whether this state was read later than another one of the same node. Both numbers only
  /// grow.
  public boolean isNewerThan(NodeState other) {
    return ownership > other.ownership || epoch > other.epoch;
  }
}
