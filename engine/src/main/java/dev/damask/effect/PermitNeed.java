package dev.damask.effect;

/// What one node needs of a limit of calls in progress.
///
/// @param key the key of a limit per key after `=`; empty for a limit of all calls
/// @param limit how many calls all nodes may have in progress
/// @param inUse how many this node has in progress
/// @param needed how many it has in progress or waiting
/// @param rank since when the first of those that wait does, in milliseconds less its priority;
///   `Long.MAX_VALUE` if none waits
/// @param question which question of this node it is; only the answer to the last one counts
public record PermitNeed(
    String type, String key, int limit, int inUse, int needed, long rank, long question) {
  /// Returns this need with one more call, which does not wait for a case.
  public PermitNeed andOne() {
    return new PermitNeed(type, key, limit, inUse, needed + 1, Math.min(rank, 0), question);
  }
}
