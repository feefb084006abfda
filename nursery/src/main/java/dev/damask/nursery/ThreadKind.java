package dev.damask.nursery;

/// What kind of thread a child runs on.
public enum ThreadKind {
  /// A virtual thread: cheap, one per child, for work that waits.
  VIRTUAL,
  /// A platform thread: for work that never waits for long, or that sits in native calls.
  PLATFORM
}
