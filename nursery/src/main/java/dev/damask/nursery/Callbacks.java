package dev.damask.nursery;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// Runs user callbacks in order, each exactly once, also if others throw or block.
///
/// They run on the calling thread. If one of them blocks for longer than `PATIENCE`, another thread
/// continues with the next one.
final class Callbacks {

  static final Duration PATIENCE = Duration.ofMillis(100);

  private final ConcurrentLinkedQueue<Runnable> waiting;

  private Callbacks(Collection<? extends Runnable> actions) {
    this.waiting = new ConcurrentLinkedQueue<>(actions);
  }

  /// Returns when no callback is waiting. Throws the first exception that a callback threw on this
  /// thread, with those of the others suppressed. Exceptions on other threads are logged.
  static void run(Collection<? extends Runnable> actions) {
    if (!actions.isEmpty()) {
      Errors.rethrow(new Callbacks(actions).drain());
    }
  }

  /// Runs the callbacks on a new daemon thread and logs their exceptions.
  static void start(String name, Collection<? extends Runnable> actions) {
    if (!actions.isEmpty()) {
      new Callbacks(actions).startThread(name);
    }
  }

  private void startThread(String name) {
    // A platform thread: children that never yield may occupy all carrier threads.
    Thread.ofPlatform()
        .name(name)
        .daemon()
        .start(() -> {
          Throwable thrown = drain();
          if (thrown != null) {
            Errors.warn("nursery callback failed", thrown);
          }
        });
  }

  private @Nullable Throwable drain() {
    Throwable thrown = null;
    for (Runnable action = waiting.poll(); action != null; action = waiting.poll()) {
      Future<?> watch = waiting.isEmpty() ? null : Deadlines.after(PATIENCE, this::takeOver);
      try {
        action.run();
      } catch (Throwable e) {
        thrown = Errors.joined(thrown, e);
      } finally {
        if (watch != null) {
          watch.cancel(false);
        }
      }
    }
    return thrown;
  }

  private void takeOver() {
    if (!waiting.isEmpty()) {
      startThread("nursery-callbacks");
    }
  }
}
