package dev.damask.process;

import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/// The monitors of all objects of a run.
final class Monitors {
  /// Who is inside.
  private static final class Monitor {
    @Nullable Thread owner; // null if no thread is
    int depth;
    int awaiting; // threads in `wait`
    long wakes;
  }

  private final VirtualHost host;
  private final IdentityHashMap<Object, Monitor> monitors = new IdentityHashMap<>();

  Monitors(VirtualHost host) {
    this.host = host;
  }

  void enter(Object lock) {
    Thread self = Thread.currentThread();
    Monitor monitor = monitors.computeIfAbsent(lock, _ -> new Monitor());
    while (monitor.owner != null && monitor.owner != self) {
      Monitor awaited = monitor;
      host.awaitUninterruptibly(() -> awaited.owner == null);
      monitor = monitors.computeIfAbsent(lock, _ -> new Monitor());
    }
    monitor.owner = self;
    monitor.depth++;
  }

  void exit(Object lock) {
    Monitor monitor = inside(lock);
    if (--monitor.depth == 0) {
      monitor.owner = null;
      if (monitor.awaiting == 0) {
        monitors.remove(lock);
      }
    }
  }

  /// Leaves a monitor until another thread calls [#wakeAll].
  void await(Object lock, long deadline) throws InterruptedException {
    Monitor monitor = inside(lock);
    int depth = monitor.depth;
    long before = monitor.wakes;
    monitor.awaiting++;
    monitor.owner = null;
    monitor.depth = 0;
    boolean isInterrupted = host.await(() -> monitor.wakes != before, deadline);
    monitor.awaiting--;
    enter(lock);
    monitor.depth = depth;
    if (isInterrupted) {
      throw new InterruptedException();
    }
  }

  void wakeAll(Object lock) {
    inside(lock).wakes++;
  }

  private Monitor inside(Object lock) {
    Monitor monitor = monitors.get(lock);
    if (monitor == null || monitor.owner != Thread.currentThread()) {
      throw new IllegalMonitorStateException("not inside the monitor of " + lock.getClass());
    }
    return monitor;
  }
}
