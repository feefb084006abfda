package dev.damask.cluster;

import java.util.Set;

/// What a node does with a batch whose commit was in doubt, once its lock, its epoch and the stored
/// commit ids have been read in one transaction.
public enum DoubtVerdict {
  /// The commit happened: its futures complete.
  ACKNOWLEDGE,
  /// It did not happen and cannot happen any more: the batch is sent again with the new epoch.
  REPEAT,
  /// It did not happen, and another node owns the cases: inputs go to the inbox under their message
  /// ids.
  FORWARD;

  /// Decides about one batch.
  ///
  /// @param isFenced whether the node was fenced before the resolver could raise its epoch
  /// @param stored the commit ids that the resolver found
  public static DoubtVerdict of(CommitId id, boolean isFenced, Set<CommitId> stored) {
    if (stored.contains(id)) {
      return ACKNOWLEDGE;
    }
    return isFenced ? FORWARD : REPEAT;
  }
}
