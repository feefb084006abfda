package dev.damask.nursery;

/// The kind of thread that a child runs on.
public enum ThreadKind {
  /// A virtual thread: cheap, one per child, for work that waits.
  VIRTUAL,
  /// A platform thread: for work that rarely waits, or that blocks in native calls.
  PLATFORM,
  /// A platform thread that does not keep the JVM alive: for code that may never return.
  PLATFORM_DAEMON;

  Thread.Builder builder() {
    return switch (this) {
      case VIRTUAL -> Thread.ofVirtual();
      case PLATFORM -> Thread.ofPlatform().daemon(false);
      case PLATFORM_DAEMON -> Thread.ofPlatform().daemon(true);
    };
  }
}
