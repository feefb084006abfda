package dev.damask.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Kills short runs everywhere: at every [CrashPoint] of a run, and at every pair of moments. The
/// first crash changes what comes after it, so the second one goes through the moments of that run.
public final class CrashSweep {
  /// A run with more moments than this is not short: it dies at each of them, but not at each pair.
  private static final int SHORT_MAX = 100;

  private Workload work = Workload.one(0, Choices.of(0));
  private long runs;
  private long pairs;

  /// Sweeps the run of a seed; says where it died and what does not hold when something does not.
  public Optional<String> run(long seed) {
    List<Integer> deaths = new ArrayList<>();
    work = Workload.one(seed, Choices.of(seed * 3));
    try {
      sweep(seed, deaths);
      return Optional.empty();
    } catch (RuntimeException | AssertionError e) {
      return Optional.of("seed %d, killed at moments %s: %s".formatted(seed, deaths, e));
    }
  }

  private void sweep(long seed, List<Integer> deaths) {
    int moments = run(seed, deaths);
    int from = deaths.isEmpty() ? 1 : deaths.getLast() + 1;
    int depth = moments > SHORT_MAX ? 1 : 2;
    for (int next = from; next <= moments && deaths.size() < depth; next++) {
      deaths.addLast(next);
      sweep(seed, deaths);
      deaths.removeLast();
    }
  }

  private int run(long seed, List<Integer> deaths) {
    SimulationReport report =
        new Simulation(SimulationPlan.crashing(seed, work, deaths::contains), false).run();
    if (report.crashes() != deaths.size()) {
      throw new IllegalStateException("it died " + report.crashes() + " times");
    }
    runs++;
    pairs += deaths.size() == 2 ? 1 : 0;
    return report.moments();
  }

  /// How often the runs were run.
  public long runs() {
    return runs;
  }

  /// In how many of them the process was killed twice.
  public long pairs() {
    return pairs;
  }
}
