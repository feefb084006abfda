package dev.damask.intake;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// The work of one of an engine's own threads, which begins again after a failure: a store that is
/// away for a moment must not stop it for ever.
@FunctionalInterface
public interface Service {
  /// How long a service waits before it begins again.
  long PAUSE_MILLIS = 1_000;

  /// Works until the engine is closed.
  void run() throws InterruptedException;

  /// Runs a service until it ends by itself or the engine is closed or has stopped. What it throws
  /// is logged, once as long as it stays the same. If the JVM has no memory or stack left, the
  /// error is thrown, and the engine stops.
  ///
  /// @param name of the thread, for the log
  static void run(String name, CountDownLatch closed, BooleanSupplier hasFailed, Service service)
      throws InterruptedException {
    String reported = "";
    do {
      try {
        service.run();
        return;
      } catch (VirtualMachineError e) {
        throw e;
      } catch (RuntimeException | Error e) {
        if (closed.getCount() == 0 || hasFailed.getAsBoolean()) {
          return;
        }
        reported = report(name + " of the engine failed; it begins again soon", e, reported);
      }
    } while (!closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
  }

  /// Logs a failure, unless it is the one that was logged last. Returns what was logged last.
  static String report(String sentence, Throwable thrown, String last) {
    String text = sentence + ": " + thrown;
    System.getLogger(Service.class.getName())
        .log(
            text.equals(last) ? System.Logger.Level.DEBUG : System.Logger.Level.ERROR,
            sentence,
            thrown);
    return text;
  }
}
