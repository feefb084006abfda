package dev.damask.simulation;

/// Where an exhaustive run may kill the process: before and after each store operation, and before
/// and after each answer of the world.
enum CrashPoint {
  /// A batch was handed over, and nothing of it got to the disk.
  HANDED_OVER,
  /// A batch is on disk, and no caller has been notified.
  SYNCED,
  /// A handler was called and has not answered.
  CALLED,
  /// An answer is in the inbox, and its shard has not read it.
  ANSWERED
}
