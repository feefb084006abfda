package dev.damask.simulation;

import dev.damask.testkit.Choices;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;

/// Runs simulations by the thousand, and makes the first one that fails as small as it can.
public final class Simulator {
  private static final int SHRUNK_RUNS_MAX = 600;

  private long runs;
  private long events;
  private long crashes;
  private final Map<Situation, Long> met = new EnumMap<>(Situation.class);

  /// A run that failed, and a smaller one that fails as well.
  ///
  /// @param code a test to paste
  public record Found(long seed, String violation, String code, String log) {}

  /// Runs seeds from one on; empty when none of them fails.
  ///
  /// @param progress hears the number of every run
  public Optional<Found> run(long firstSeed, long count, LongConsumer progress) {
    for (long seed = firstSeed; seed < firstSeed + count; seed++) {
      Optional<Found> found = run(seed);
      if (found.isPresent()) {
        return found;
      }
      progress.accept(runs);
    }
    return Optional.empty();
  }

  /// As [#run(long, long, LongConsumer)], but only says what does not hold, without making the run
  /// small.
  public Optional<String> search(long firstSeed, long count, LongConsumer progress) {
    for (long seed = firstSeed; seed < firstSeed + count; seed++) {
      try {
        new Simulation(SimulationPlan.of(seed), false).run();
      } catch (RuntimeException | AssertionError e) {
        return Optional.of("seed " + seed + ": " + e);
      }
      progress.accept(seed);
    }
    return Optional.empty();
  }

  /// Runs one seed.
  public Optional<Found> run(long seed) {
    try {
      SimulationReport report = new Simulation(SimulationPlan.of(seed), false).run();
      runs++;
      events += report.events();
      crashes += report.crashes();
      for (Situation each : Situation.values()) {
        met.merge(each, (long) report.counts()[each.ordinal()], Long::sum);
      }
      return Optional.empty();
    } catch (RuntimeException | AssertionError e) {
      return Optional.of(found(seed, e));
    }
  }

  /// The hash over all events of one run, to compare with a run elsewhere.
  public static long hash(long seed) {
    return new Simulation(SimulationPlan.of(seed), false).run().hash();
  }

  private static Found found(long seed, Throwable thrown) {
    Choices scheduling = Choices.of(seed * 3 + 1);
    Choices chance = Choices.of(seed * 3 + 2);
    Choices work = Choices.of(seed * 3);
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
            SimulationPlan.of(Choices.of(best[0]), Choices.of(best[1]), Choices.of(best[2]), true),
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
      new Simulation(SimulationPlan.of(scheduling, chance, work, true), false).run();
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
            SimulationPlan.of(Choices.of(scheduling), Choices.of(chance), Choices.of(work), true),
            true)
        .run();
  }

  public long runs() {
    return runs;
  }

  public long events() {
    return events;
  }

  public long crashes() {
    return crashes;
  }

  /// How often each rare situation was met.
  public Map<Situation, Long> met() {
    return Map.copyOf(met);
  }
}
