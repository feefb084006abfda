package dev.damask.effect;

import dev.damask.effect.CallsInFlight.Job;
import dev.damask.effect.CallsInFlight.Running;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.Spawn;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Notices that virtual threads are not scheduled because handlers compute on all carrier threads.
/// While calls are in flight, a virtual thread that does nothing is started now and then. If it is
/// late, the handlers at work are logged, calls that have not begun get a platform thread, and so
/// do new calls until a virtual thread is scheduled in time again.
final class Carriers {
  private static final long PAUSE_MILLIS = 100;
  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final System.Logger LOG = System.getLogger(EffectRunner.class.getName());

  private final Nursery nursery;
  private final CallsInFlight inFlight;
  private final Consumer<Job> rescue;

  private volatile boolean areBusy; // written by the watching thread
  private volatile boolean isProbeBack; // written by the probe
  private long sentNanos; // belongs to the watching thread, as what follows
  private boolean isProbing;

  /// @param rescue starts a second thread for a call that has not begun
  Carriers(Nursery nursery, CallsInFlight inFlight, Consumer<Job> rescue) {
    this.nursery = nursery;
    this.inFlight = inFlight;
    this.rescue = rescue;
  }

  /// Whether virtual threads are not scheduled at the moment.
  boolean areBusy() {
    return areBusy;
  }

  /// Runs on a platform thread: a virtual one would be late itself.
  void watch(CountDownLatch closed) throws InterruptedException {
    while (!closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
      look();
    }
  }

  private void look() {
    if (isProbing && isProbeBack) {
      isProbing = false;
      areBusy = false;
    }
    if (isProbing && System.nanoTime() - sentNanos > LATE_NANOS) {
      if (!areBusy) {
        areBusy = true;
        report();
      }
      inFlight.stalled().forEach(rescue);
    }
    if (!isProbing && inFlight.size() > 0) {
      isProbeBack = false;
      sentNanos = System.nanoTime();
      isProbing =
          nursery.<@Nullable Void>trySpawn(
                  ChildOptions.named("probe"),
                  _ -> {
                    isProbeBack = true;
                    return null;
                  })
              instanceof Spawn.Spawned;
    }
  }

  private void report() {
    List<String> computing =
        inFlight.running().stream()
            .filter(each -> each.thread().isVirtual())
            .filter(each -> each.thread().getState() == Thread.State.RUNNABLE)
            .filter(each -> each.nanos() > LATE_NANOS)
            .map(Running::toString)
            .toList();
    if (!computing.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "handlers compute without waiting and keep other virtual threads from running; declare "
              + "them with EffectHandler.cpuBound: {0}",
          computing);
    }
  }
}
