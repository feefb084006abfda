package dev.damask.simulation;

import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.ThreadKind;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Many runs, on every core: each thread has its own [Simulator] and takes the next seeds when it
/// is through with the last. The first run that fails ends it.
public final class Campaign {
  /// Seeds that a thread takes at a time.
  private static final long PORTION = 200;

  /// For runs that take as long as they take.
  public static final Duration ENDLESS = Duration.ofDays(365);

  private final long first;
  private final long count;
  private final long endNanos;
  private final LongConsumer progress;
  private final AtomicLong next = new AtomicLong();

  // Guarded by this.
  private final Map<CoveragePoint, Long> met = new EnumMap<>(CoveragePoint.class);
  private long runs;
  private long events;
  private long crashes;
  private Simulator.@Nullable Found found; // null while no run has failed

  private Campaign(long first, long count, Duration atMost, LongConsumer progress) {
    this.first = first;
    this.count = count;
    this.endNanos = System.nanoTime() + atMost.toNanos();
    this.progress = progress;
  }

  /// Runs seeds from one on, until all have run or the time is up.
  ///
  /// @param progress receives how many runs have begun, after each portion
  public static Campaign run(long first, long count, Duration atMost, LongConsumer progress)
      throws InterruptedException {
    Campaign campaign = new Campaign(first, count, atMost, progress);
    try (Nursery nursery = Nursery.open("simulations")) {
      for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
        nursery.launch(
            ChildOptions.named("simulator-" + i).withThread(ThreadKind.PLATFORM),
            _ -> campaign.work());
      }
      nursery.awaitAll().orThrow();
    }
    return campaign;
  }

  private void work() {
    Simulator simulator = new Simulator();
    for (long from = next.getAndAdd(PORTION); from < count; from = next.getAndAdd(PORTION)) {
      Optional<Simulator.Found> failed =
          simulator.run(first + from, Math.min(PORTION, count - from));
      add(failed.orElse(null));
      if (failed.isPresent() || System.nanoTime() - endNanos > 0) {
        next.set(count);
        break;
      }
      progress.accept(Math.min(next.get(), count));
    }
    add(simulator);
  }

  private synchronized void add(Simulator.@Nullable Found failed) {
    found = found == null ? failed : found;
  }

  private synchronized void add(Simulator simulator) {
    runs += simulator.runs();
    events += simulator.events();
    crashes += simulator.crashes();
    simulator.met().forEach((situation, times) -> met.merge(situation, times, Long::sum));
  }

  /// The first run that failed; empty when none did.
  public synchronized Optional<Simulator.Found> found() {
    return Optional.ofNullable(found);
  }

  /// Returns the number of runs.
  public synchronized long runs() {
    return runs;
  }

  /// Returns the number of events in all runs.
  public synchronized long events() {
    return events;
  }

  /// Returns the number of simulated crashes in all runs.
  public synchronized long crashes() {
    return crashes;
  }

  /// How often each rare situation was met.
  public synchronized Map<CoveragePoint, Long> met() {
    return new EnumMap<>(met);
  }
}
