package dev.damask.process;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Runs the threads of simulated processes, one at a time, on a virtual clock. A seed determines
/// which thread runs next, so that the same seed gives the same run.
///
/// Threads are virtual threads whose scheduler is this host: wherever they block, they return to
/// the loop of [#run]. Time passes only when no thread can run. The JDK has no public way to choose
/// the scheduler, so the JVM must be started with `--add-opens java.base/java.lang=ALL-UNNAMED`.
public final class VirtualHost {
  static final long NANOS_PER_MILLI = 1_000_000;
  private static final int SPINNING = 20_000;
  private static final long SPIN_NANOS = 1_000_000;
  private static final long WALL_BEGIN_MILLIS = 1_700_000_000_000L;

  /// The host of the run. Code that is loaded by a [VirtualLoader] finds it here; each loader has a
  /// class of its own.
  private static @Nullable VirtualHost current;

  /// A thread that can continue.
  private record Ready(VirtualProcess process, Runnable task) {}

  /// A thread that waits for a condition or for a time.
  private static final class Waiter {
    final VirtualProcess process;
    final Thread thread;
    final @Nullable BooleanSupplier condition;
    final long deadline; // by the process's monotonic clock
    boolean isWoken;

    Waiter(VirtualProcess process, @Nullable BooleanSupplier condition, long deadline) {
      this.process = process;
      this.thread = Thread.currentThread();
      this.condition = condition;
      this.deadline = deadline;
    }

    long at() {
      return deadline - process.nanosAhead();
    }
  }

  /// Something that the simulator does itself.
  private record Event(long nanos, long number, Runnable action) {}

  private final SplittableRandom random;
  private final List<Ready> ready = new ArrayList<>();
  private final List<Waiter> waiters = new ArrayList<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::nanos).thenComparingLong(Event::number));
  private final Constructor<?> builders = builders();
  private final Monitors monitors = new Monitors(this);
  private @Nullable VirtualProcess running;
  private long nanos = 1;
  private long planned;
  private long ids;
  private long steps;
  private long hash = 17;
  private @Nullable StringBuilder log;
  private boolean isStopped;
  private int readings; // of clocks, since a thread was continued
  private boolean isSpinning;

  private VirtualHost(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /// Creates the host of the next run.
  public static VirtualHost create(long seed) {
    VirtualHost host = new VirtualHost(seed);
    current = host;
    return host;
  }

  static VirtualHost current() {
    VirtualHost host = current;
    if (host == null) {
      throw new IllegalStateException("no run: call VirtualHost.create first");
    }
    return host;
  }

  private static Constructor<?> builders() {
    try {
      Constructor<?> constructor =
          Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
              .getDeclaredConstructor(Executor.class);
      constructor.setAccessible(true);
      return constructor;
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new IllegalStateException(
          "virtual threads cannot be scheduled here; start the JVM with"
              + " --add-opens java.base/java.lang=ALL-UNNAMED",
          e);
    }
  }

  /// Creates a process.
  public VirtualProcess process(String name) {
    return new VirtualProcess(this, name);
  }

  Thread.Builder.OfVirtual threads(VirtualProcess process) {
    try {
      Thread.Builder.OfVirtual made = (Thread.Builder.OfVirtual) builders.newInstance(process);
      return made.name(process.name() + "-" + process.nextThread());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  Monitors monitors() {
    return monitors;
  }

  /// Returns the process whose thread runs.
  public VirtualProcess running() {
    VirtualProcess process = running;
    if (process == null) {
      throw new IllegalStateException("no simulated thread runs");
    }
    return process;
  }

  /// Returns the virtual time since the beginning.
  public long nanos() {
    return nanos;
  }

  /// A thread reads a clock. One that does so again and again waits for time to pass without
  /// leaving the processor.
  @SuppressWarnings("ThreadPriorityCheck") // the scheduler is this host
  void readsClock() {
    if (++readings > SPINNING) {
      readings = 0;
      note(Thread.currentThread().getName() + " spins");
      isSpinning = true;
      nanos += SPIN_NANOS;
      Thread.yield();
    }
  }

  /// Returns whether a thread has spun until time passed.
  public boolean isSpinning() {
    return isSpinning;
  }

  long wallMillis() {
    return WALL_BEGIN_MILLIS + nanos / NANOS_PER_MILLI;
  }

  /// Returns a random number below a bound, from the seed of the run.
  public int below(int bound) {
    return random.nextInt(bound);
  }

  long nextId() {
    return ++ids;
  }

  /// Returns the number of times that a thread was continued.
  public long steps() {
    return steps;
  }

  /// Returns a number that is equal for equal runs.
  public long hash() {
    return hash;
  }

  /// Keeps a log from now on.
  public void keepLog() {
    log = new StringBuilder();
  }

  /// Returns what was noted, one line per note; empty without [#keepLog].
  public String log() {
    return log == null ? "" : log.toString();
  }

  /// Notes what happens; the hash of the run covers it.
  public void note(String what) {
    hash = (hash * 31 + what.hashCode()) * 31 + nanos;
    detail(what);
  }

  /// Notes something for people only.
  public void detail(String what) {
    if (log != null) {
      String who = running == null ? "" : Thread.currentThread().getName() + ": ";
      log.append("%11.3f %s%s%n".formatted(nanos / 1e6, who, what));
    }
  }

  void ready(VirtualProcess process, Runnable task) {
    if (process.isAlive() && !isStopped) {
      ready.add(new Ready(process, task));
    }
  }

  void forget(VirtualProcess process) {
    ready.removeIf(each -> each.process == process);
    waiters.removeIf(each -> each.process == process);
  }

  /// Does something at a later time.
  public void later(long inNanos, Runnable action) {
    events.add(new Event(nanos + inNanos, ++planned, action));
  }

  /// Waits until a condition holds or a time is reached. Returns whether it was interrupted.
  ///
  /// @param condition null to wait for the time only; it must not block
  /// @param deadline by the monotonic clock of the running process
  boolean await(@Nullable BooleanSupplier condition, long deadline) {
    Waiter waiter = new Waiter(running(), condition, deadline);
    waiters.add(waiter);
    while (!waiter.isWoken) {
      if (Thread.interrupted()) {
        waiters.remove(waiter);
        return true;
      }
      LockSupport.park(waiter);
    }
    return Thread.interrupted();
  }

  /// Waits for a condition without end. An interrupt is kept for later.
  public void awaitUninterruptibly(BooleanSupplier condition) {
    awaitUninterruptibly(condition, Long.MAX_VALUE / 2);
  }

  /// Waits for a condition or for some time. An interrupt is kept for later.
  public void awaitUninterruptibly(BooleanSupplier condition, long forNanos) {
    long deadline = running().nanos() + forNanos;
    boolean isInterrupted = false;
    while (!condition.getAsBoolean() && running().nanos() < deadline) {
      isInterrupted |= await(condition, deadline);
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Ends the run: no thread continues any more.
  public void stop() {
    isStopped = true;
    ready.clear();
    waiters.clear();
    events.clear();
  }

  /// Runs threads and events until a time is reached or a condition holds.
  public void run(long untilNanos, BooleanSupplier isDone) {
    while (!isDone.getAsBoolean()) {
      if (continueOne() || wakeSome()) {
        continue;
      }
      long next = nextTime();
      if (next > untilNanos) {
        nanos = Math.max(nanos, untilNanos);
        return;
      }
      nanos = Math.max(nanos, next);
      Event event = events.peek();
      if (event != null && event.nanos <= nanos) {
        events.remove();
        event.action.run();
      }
    }
  }

  /// Continues a random thread. Returns false if none can continue.
  private boolean continueOne() {
    int count = 0;
    for (Ready each : ready) {
      count += each.process.isRunnable() ? 1 : 0;
    }
    if (count == 0) {
      return false;
    }
    int chosen = count == 1 ? 0 : random.nextInt(count);
    for (int i = 0; i < ready.size(); i++) {
      if (ready.get(i).process.isRunnable() && chosen-- == 0) {
        Ready next = ready.remove(i);
        steps++;
        running = next.process;
        readings = 0;
        next.task.run();
        running = null;
        return true;
      }
    }
    throw new IllegalStateException("a thread disappeared");
  }

  /// Wakes the threads whose time or condition has come. Returns whether there was one.
  private boolean wakeSome() {
    boolean hasWoken = false;
    for (int i = 0; i < waiters.size(); i++) {
      Waiter each = waiters.get(i);
      boolean isDue =
          each.process.isRunnable()
              && (each.at() <= nanos || (each.condition != null && each.condition.getAsBoolean()));
      if (isDue) {
        each.isWoken = true;
        waiters.remove(i--);
        hasWoken = true;
        LockSupport.unpark(each.thread);
      }
    }
    return hasWoken;
  }

  private long nextTime() {
    Event event = events.peek();
    long next = event == null ? Long.MAX_VALUE : event.nanos;
    for (Waiter each : waiters) {
      if (each.process.isRunnable()) {
        next = Math.min(next, each.at());
      }
    }
    return next;
  }
}
