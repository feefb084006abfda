package dev.damask.simulation;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Simulates as long as one likes, on every core. Ends with 1 when a seed fails.
///
/// ```
/// Simulate [FIRST_SEED [RUNS]]          runs seeds; makes the first that fails small, prints it
/// Simulate crashes [FIRST_SEED [RUNS]]  kills the short run of each seed at every moment and pair
/// Simulate hashes FIRST_SEED RUNS STEP  prints the hash of every so manieth run
/// ```
public final class Simulate {
  private static final long RUNS = 100_000;
  private static final long SWEEPS = 120;
  private static final long STEP = 100;
  private static final long LINE_EVERY = 10_000;

  private Simulate() {}

  /// Runs the command in the arguments.
  public static void main(String[] arguments) throws InterruptedException {
    String word = arguments.length > 0 && !isNumber(arguments[0]) ? arguments[0] : "";
    int at = word.isEmpty() ? 0 : 1;
    long first = number(arguments, at, System.nanoTime() >>> 10);
    boolean holds =
        switch (word) {
          case "" -> simulate(first, number(arguments, at + 1, RUNS));
          case "crashes" -> sweep(first, number(arguments, at + 1, SWEEPS));
          case "hashes" ->
              hashes(first, number(arguments, at + 1, RUNS), number(arguments, at + 2, STEP));
          default -> throw new IllegalArgumentException("crashes or hashes, got " + word);
        };
    System.exit(holds ? 0 : 1);
  }

  private static boolean isNumber(String argument) {
    return argument.chars().allMatch(Character::isDigit);
  }

  private static long number(String[] arguments, int at, long otherwise) {
    return arguments.length > at ? Long.parseLong(arguments[at]) : otherwise;
  }

  private static boolean hashes(long first, long count, long step) {
    Simulator simulator = new Simulator();
    for (long seed = first; seed < first + count; seed += step) {
      System.out.println(seed + " " + simulator.hash(seed));
    }
    return true;
  }

  private static boolean sweep(long first, long count) {
    CrashSweep sweep = new CrashSweep();
    Optional<String> found = Optional.empty();
    for (long seed = first; seed < first + count && found.isEmpty(); seed++) {
      found = sweep.run(seed);
    }
    System.out.printf(
        "sweeps of seeds %d to %d: %d runs, %d of them killed twice, %.0f runs per CPU second%n",
        first, first + count - 1, sweep.runs(), sweep.pairs(), sweep.runs() / cpuSeconds());
    found.ifPresent(System.out::println);
    return found.isEmpty();
  }

  private static boolean simulate(long first, long count) throws InterruptedException {
    Campaign campaign =
        Campaign.run(
            first,
            count,
            Campaign.ENDLESS,
            runs -> {
              if (runs % LINE_EVERY == 0) {
                System.err.printf(Locale.ROOT, "%d of %d runs, none failed%n", runs, count);
              }
            });
    System.out.printf(
        Locale.ROOT,
        "seeds %d to %d: %d runs, %d events, %d crashes, %.0f runs per CPU second%n",
        first,
        first + count - 1,
        campaign.runs(),
        campaign.events(),
        campaign.crashes(),
        campaign.runs() / cpuSeconds());
    campaign.met().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(each -> System.out.printf("  %-32s %d%n", each.getKey(), each.getValue()));
    campaign
        .found()
        .ifPresent(each ->
            System.out.printf(
                "seed %d: %s%n%s%n%s", each.seed(), each.violation(), each.code(), each.log()));
    return campaign.found().isEmpty();
  }

  /// Of the whole process, with its compiler and its collector: what a run really costs.
  private static double cpuSeconds() {
    Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    return Math.max(1, cpu.toMillis()) / 1e3;
  }
}
