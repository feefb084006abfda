package dev.damask.simulation;

/// Where an exhaustive run may kill the process: before and after each store operation, and before
/// and after each answer of the world.
enum CrashPoint {
  /// A batch was handed over, and nothing of it got to the disk.
  HANDED_OVER,
  /// A batch is on the disk, and nobody was told.
  SYNCED,
  /// A handler was called and has not answered.
  CALLED,
  /// An answer lies in the inbox, and nobody has looked.
  ANSWERED
}
