package dev.damask.cluster;

/// A node's view of its own heartbeat. A node that could not raise its counter for two thirds of
/// the lease must stop calling effects and moving cases, because another node may soon take over.
///
/// Written by the thread that polls, read by every thread.
public final class OwnLease {
  private final long leaseNanos;
  private volatile long raisedNanos; // written by the thread that polls
  private volatile boolean hasRefused; // set by any thread, taken by the thread that polls

  /// @param nowNanos the monotonic time at which the node joined
  public OwnLease(long leaseNanos, long nowNanos) {
    this.leaseNanos = leaseNanos;
    this.raisedNanos = nowNanos;
  }

  /// Records that the counter was raised.
  ///
  /// @param sentNanos the monotonic time before the request was sent: the counter was not raised
  ///   earlier, and perhaps not much later
  public void raised(long sentNanos) {
    raisedNanos = sentNanos;
  }

  /// Returns whether the counter should be raised now: a third of the lease has passed.
  public boolean isRaiseDue(long nowNanos) {
    return nowNanos - raisedNanos >= leaseNanos / 3;
  }

  /// Returns whether the node may call effects and move cases.
  public boolean mayWork(long nowNanos) {
    boolean mayWork = nowNanos - raisedNanos < leaseNanos / 3 * 2;
    if (!mayWork) {
      hasRefused = true;
    }
    return mayWork;
  }

  /// Returns whether [#mayWork] has returned false since the last call of this method. Work that
  /// was refused must be resumed, also if the thread that polls has not seen the pause: it may
  /// begin and end during one slow poll.
  public boolean takeRefused() {
    boolean taken = hasRefused;
    hasRefused = false;
    return taken;
  }
}
