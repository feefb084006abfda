package dev.damask.simulation;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Runs simulations one after the other, and makes the first one that fails as small as it can. It
/// belongs to one thread.
public final class Simulator {
  private static final int SHRUNK_RUNS_MAX = 600;

  private @Nullable Workload work; // of the last run; null before the first
  private long workSeed;
  private long runs;
  private long events;
  private long crashes;
  private final Map<CoveragePoint, Long> met = new EnumMap<>(CoveragePoint.class);

  /// A run that failed, and a smaller one that fails as well.
  ///
  /// @param code a test to paste
  public record Found(long seed, String violation, String code, String log) {}

  /// Runs seeds from one on; empty when none of them fails.
  public Optional<Found> run(long firstSeed, long count) {
    for (long seed = firstSeed; seed < firstSeed + count; seed++) {
      Optional<Found> found = run(seed);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /// Looks for a seed that fails among seeds of which no two share their work, and says what does
  /// not hold, without making the run small.
  public Optional<String> search(long firstSeed, long count) {
    for (long i = 0; i < count; i++) {
      long seed = firstSeed + i * (SimulationPlan.SEEDS_OF_ONE_WORK + 1);
      try {
        simulation(seed).run();
      } catch (RuntimeException | AssertionError e) {
        return Optional.of("seed " + seed + ": " + e);
      }
    }
    return Optional.empty();
  }

  /// Runs one seed.
  public Optional<Found> run(long seed) {
    try {
      SimulationReport report = simulation(seed).run();
      runs++;
      events += report.events();
      crashes += report.crashes();
      for (CoveragePoint each : CoveragePoint.values()) {
        met.merge(each, (long) report.counts()[each.ordinal()], Long::sum);
      }
      return Optional.empty();
    } catch (RuntimeException | AssertionError e) {
      return Optional.of(found(seed, e));
    }
  }

  /// The hash over all events of one run and all that reached the disk, to compare with a run
  /// elsewhere.
  public long hash(long seed) {
    return simulation(seed).run().hash();
  }

  private Simulation simulation(long seed) {
    Workload shared = work;
    if (shared == null || !SimulationPlan.isSameWork(seed, workSeed)) {
      shared = SimulationPlan.work(seed);
      work = shared;
      workSeed = seed;
    }
    return new Simulation(SimulationPlan.of(seed, shared), false);
  }

  private static Found found(long seed, Throwable thrown) {
    Choices scheduling = Choices.of(seed * 3 + 1);
    Choices chance = Choices.of(seed * 3 + 2);
    Choices work = SimulationPlan.workChoices(seed);
    fails(scheduling, chance, work);
    int[][] best = {scheduling.taken(), chance.taken(), work.taken()};
    int[] left = {SHRUNK_RUNS_MAX};
    for (int stream : new int[] {2, 1, 0}) {
      best[stream] =
          Choices.shrink(
              best[stream],
              shorter -> {
                if (left[0]-- <= 0) {
                  return false;
                }
                int[][] tried = best.clone();
                tried[stream] = shorter;
                return fails(Choices.of(tried[0]), Choices.of(tried[1]), Choices.of(tried[2]));
              });
    }
    Simulation small =
        new Simulation(
            SimulationPlan.of(
                Choices.of(best[0]), Choices.of(best[1]), Workload.of(Choices.of(best[2])), true),
            true);
    String violation = String.valueOf(thrown);
    try {
      small.run();
    } catch (RuntimeException | AssertionError e) {
      violation = String.valueOf(e);
    }
    return new Found(seed, violation, code(best), small.log());
  }

  private static boolean fails(Choices scheduling, Choices chance, Choices work) {
    try {
      new Simulation(SimulationPlan.of(scheduling, chance, Workload.of(work), true), false).run();
      return false;
    } catch (RuntimeException | AssertionError e) {
      return true;
    }
  }

  private static String code(int[][] choices) {
    return "Simulator.repeat(new int[] %s, new int[] %s, new int[] %s);"
        .formatted(list(choices[0]), list(choices[1]), list(choices[2]));
  }

  private static String list(int[] numbers) {
    return Arrays.toString(numbers).replace('[', '{').replace(']', '}');
  }

  /// Repeats a run that was found before; throws what it threw, unless it is mended.
  public static void repeat(int[] scheduling, int[] chance, int[] work) {
    new Simulation(
            SimulationPlan.of(
                Choices.of(scheduling), Choices.of(chance), Workload.of(Choices.of(work)), true),
            true)
        .run();
  }

  /// Returns the number of runs.
  public long runs() {
    return runs;
  }

  /// Returns the number of events in all runs.
  public long events() {
    return events;
  }

  /// Returns the number of simulated crashes in all runs.
  public long crashes() {
    return crashes;
  }

  /// How often each rare situation was met.
  public Map<CoveragePoint, Long> met() {
    return Map.copyOf(met);
  }
}
