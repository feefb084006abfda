package dev.damask.cluster;

/// The identity of one commit transaction. A resolver finds out by it whether a commit in doubt has
/// happened; a revision number alone could be another node's.
///
/// @param epoch the node's epoch when the transaction was first sent
/// @param number counts the node's commits, from 1
public record CommitId(int node, long epoch, long number) {}
