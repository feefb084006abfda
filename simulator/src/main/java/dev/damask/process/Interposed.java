package dev.damask.process;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// What classes of a [VirtualLoader] call instead of the JDK: clocks, waits with a time limit,
/// threads, ids and loggers. Public, because these classes are in other packages.
public final class Interposed {
  private static final long FOREVER = Long.MAX_VALUE / 4;

  private Interposed() {}

  private static VirtualHost host() {
    return VirtualHost.current();
  }

  public static long nanoTime() {
    host().readsClock();
    return host().running().nanos();
  }

  public static long currentTimeMillis() {
    host().readsClock();
    return host().running().millis();
  }

  public static Instant now() {
    return Instant.ofEpochMilli(currentTimeMillis());
  }

  public static UUID randomUUID() {
    return new UUID(0x4000L, Long.MIN_VALUE | host().nextId());
  }

  public static boolean isVirtual(Thread thread) {
    return false; // the simulated threads stand for platform threads as well
  }

  /// Enters a `synchronized` block. The JVM's own monitors wake waiting virtual threads from a
  /// thread of its own, at a time that no seed determines.
  public static void enter(Object lock) {
    host().monitors().enter(lock);
  }

  /// Leaves a `synchronized` block.
  public static void exit(Object lock) {
    host().monitors().exit(lock);
  }

  public static void waitFor(Object lock) throws InterruptedException {
    host().monitors().await(lock, deadline(FOREVER));
  }

  public static void waitFor(Object lock, long millis) throws InterruptedException {
    host().monitors().await(lock, deadline(TimeUnit.MILLISECONDS.toNanos(millis)));
  }

  public static void wakeAll(Object lock) {
    host().monitors().wakeAll(lock);
  }

  private static long deadline(long nanos) {
    return nanoTime() + Math.min(nanos, FOREVER);
  }

  private static boolean awaits(BooleanSupplier condition, long time, TimeUnit unit)
      throws InterruptedException {
    long deadline = deadline(unit.toNanos(time));
    while (!condition.getAsBoolean()) {
      if (nanoTime() >= deadline) {
        return false;
      }
      if (host().await(condition, deadline)) {
        throw new InterruptedException();
      }
    }
    return true;
  }

  public static void sleep(long millis) throws InterruptedException {
    awaits(() -> false, millis, TimeUnit.MILLISECONDS);
  }

  public static void parkNanos(long nanos) {
    if (host().await(null, deadline(nanos))) {
      Thread.currentThread().interrupt();
    }
  }

  public static boolean await(CountDownLatch latch, long time, TimeUnit unit)
      throws InterruptedException {
    return awaits(() -> latch.getCount() == 0, time, unit);
  }

  public static boolean tryAcquire(Semaphore semaphore, long time, TimeUnit unit)
      throws InterruptedException {
    long deadline = deadline(unit.toNanos(time));
    while (!semaphore.tryAcquire()) {
      if (!awaits(
          () -> semaphore.availablePermits() > 0, deadline - nanoTime(), TimeUnit.NANOSECONDS)) {
        return false;
      }
    }
    return true;
  }

  public static @Nullable Object poll(BlockingQueue<?> queue, long time, TimeUnit unit)
      throws InterruptedException {
    long deadline = deadline(unit.toNanos(time));
    while (true) {
      Object next = queue.poll();
      if (next != null
          || !awaits(() -> !queue.isEmpty(), deadline - nanoTime(), TimeUnit.NANOSECONDS)) {
        return next;
      }
    }
  }

  public static @Nullable Object get(Future<?> future, long time, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (!awaits(future::isDone, time, unit)) {
      throw new TimeoutException();
    }
    return future.get();
  }

  /// Waits for a signal at most some time. The end of the time interrupts the wait, because only
  /// the condition can take its lock again.
  @SuppressWarnings("WaitNotInLoop") // the caller has the loop
  public static long awaitNanos(Condition condition, long nanos) throws InterruptedException {
    Thread waiting = Thread.currentThread();
    long deadline = deadline(nanos);
    boolean[] state = {false, false}; // whether the wait has ended, and whether by time
    host()
        .threads(host().running())
        .start(() -> {
          host().awaitUninterruptibly(() -> state[0], Math.max(0, deadline - nanoTime()));
          if (!state[0]) {
            state[1] = true;
            waiting.interrupt();
          }
        });
    try {
      condition.await();
    } catch (InterruptedException e) {
      if (!state[1]) {
        throw e;
      }
    } finally {
      state[0] = true;
      if (state[1]) {
        Thread.interrupted();
      }
    }
    return deadline - nanoTime();
  }

  /// Runs an action after a delay, as the timers of the nurseries do.
  public static Future<?> after(Duration delay, Runnable action) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    host()
        .threads(host().running())
        .start(() -> {
          host().awaitUninterruptibly(done::isDone, Math.min(delay.toNanos(), FOREVER));
          if (!done.isDone()) {
            action.run();
            done.complete(null);
          }
        });
    return done;
  }

  public static Thread.Builder ofPlatform() {
    return host().threads(host().running());
  }

  public static Thread.Builder.OfVirtual ofVirtual() {
    return host().threads(host().running());
  }

  public static Thread.Builder name(Thread.Builder builder, String name) {
    return builder.name(name);
  }

  public static Thread.Builder name(Thread.Builder builder, String name, long start) {
    return builder.name(name, start);
  }

  public static Thread.Builder daemon(Thread.Builder builder) {
    return builder;
  }

  public static Thread.Builder daemon(Thread.Builder builder, boolean isDaemon) {
    return builder;
  }

  public static Thread.Builder inheritInheritableThreadLocals(
      Thread.Builder builder, boolean inherits) {
    return builder;
  }

  public static Thread start(Thread.Builder builder, Runnable action) {
    return builder.start(action);
  }

  public static Thread unstarted(Thread.Builder builder, Runnable action) {
    return builder.unstarted(action);
  }

  public static ThreadFactory factory(Thread.Builder builder) {
    return builder.factory();
  }

  /// The order of the JDK's own copies differs from one JVM to the next.
  public static <T> Set<T> setCopyOf(Collection<? extends T> from) {
    return Collections.unmodifiableSet(new LinkedHashSet<>(from));
  }

  /// As [#setCopyOf].
  public static <K, V> Map<K, V> mapCopyOf(Map<? extends K, ? extends V> from) {
    return Collections.unmodifiableMap(new LinkedHashMap<>(from));
  }

  /// Returns a logger that writes to the log of the run.
  public static System.Logger getLogger(String name) {
    return new System.Logger() {
      @Override
      public String getName() {
        return name;
      }

      @Override
      public boolean isLoggable(Level level) {
        return level.getSeverity() >= Level.INFO.getSeverity();
      }

      @Override
      public void log(
          Level level, @Nullable ResourceBundle bundle, String text, @Nullable Throwable thrown) {
        host().detail(text + (thrown == null ? "" : ": " + thrown));
      }

      @Override
      public void log(
          Level level,
          @Nullable ResourceBundle bundle,
          String text,
          @Nullable Object @Nullable ... values) {
        host().detail(text + (values == null ? "" : " " + java.util.Arrays.toString(values)));
      }
    };
  }
}
