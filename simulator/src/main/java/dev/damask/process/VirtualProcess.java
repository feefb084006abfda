package dev.damask.process;

import java.util.concurrent.Executor;

/// A simulated process: threads that can be paused and killed together, and its own clocks.
public final class VirtualProcess implements Executor {
  final VirtualHost host;
  private final String name;
  private boolean isAlive = true;
  private boolean isPaused;
  private long nanosAhead; // of the host's time
  private long wallNanosAhead; // of the host's wall clock
  private int threads; // counts the threads that were started

  VirtualProcess(VirtualHost host, String name) {
    this.host = host;
    this.name = name;
  }

  public String name() {
    return name;
  }

  public boolean isAlive() {
    return isAlive;
  }

  public boolean isPaused() {
    return isPaused;
  }

  boolean isRunnable() {
    return isAlive && !isPaused;
  }

  /// Returns the process's monotonic time.
  public long nanos() {
    return host.nanos() + nanosAhead;
  }

  /// Returns the time of the process's wall clock.
  public long millis() {
    return host.wallMillis() + wallNanosAhead / VirtualHost.NANOS_PER_MILLI;
  }

  long nanosAhead() {
    return nanosAhead;
  }

  /// Sets the monotonic clock forward, as after the suspension of a machine.
  public void jump(long nanos) {
    if (nanos < 0) {
      throw new IllegalArgumentException("a monotonic clock never goes back, got " + nanos);
    }
    nanosAhead += nanos;
  }

  /// Sets the wall clock forward or back.
  public void jumpWall(long nanos) {
    wallNanosAhead += nanos;
  }

  /// Stops all threads where they are.
  public void pause() {
    isPaused = true;
  }

  /// Continues after [#pause].
  public void resume() {
    isPaused = false;
  }

  /// Ends the process: no thread of it runs again, and no `finally` block.
  public void kill() {
    isAlive = false;
    host.forget(this);
  }

  /// Starts the process again after [#kill], without threads.
  public void restart() {
    isAlive = true;
    isPaused = false;
  }

  /// Starts a thread.
  public Thread start(String what, Runnable action) {
    return host.threads(this).name(name + "-" + what).start(action);
  }

  int nextThread() {
    return ++threads;
  }

  /// Accepts a thread that can continue. Called by virtual threads only.
  @Override
  public void execute(Runnable task) {
    host.ready(this, task);
  }

  @Override
  public String toString() {
    return name;
  }
}
