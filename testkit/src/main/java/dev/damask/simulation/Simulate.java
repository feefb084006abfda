package dev.damask.simulation;

import java.util.Locale;
import java.util.Optional;

/// Simulates as long as one likes. Ends with 1 when a seed fails.
///
/// ```
/// Simulate [FIRST_SEED [RUNS]]           runs seeds; makes the first that fails small and prints it
/// Simulate crashes [FIRST_SEED [RUNS]]   kills the short run of each seed at every moment and pair
/// ```
public final class Simulate {
  private static final long RUNS = 100_000;
  private static final long SWEEPS = 120;
  private static final long LINE_EVERY = 5_000;

  private Simulate() {}

  public static void main(String[] arguments) {
    boolean isSweep = arguments.length > 0 && arguments[0].equals("crashes");
    int at = isSweep ? 1 : 0;
    long first = number(arguments, at, System.nanoTime() >>> 10);
    boolean holds =
        isSweep
            ? sweep(first, number(arguments, at + 1, SWEEPS))
            : simulate(first, number(arguments, at + 1, RUNS));
    System.exit(holds ? 0 : 1);
  }

  private static long number(String[] arguments, int at, long otherwise) {
    return arguments.length > at ? Long.parseLong(arguments[at]) : otherwise;
  }

  private static boolean sweep(long first, long count) {
    CrashSweep sweep = new CrashSweep();
    Optional<String> found = Optional.empty();
    for (long seed = first; seed < first + count && found.isEmpty(); seed++) {
      found = sweep.run(seed);
    }
    System.out.printf(
        "sweeps of seeds %d to %d: %d runs, %d of them killed twice%n",
        first, first + count - 1, sweep.runs(), sweep.pairs());
    found.ifPresent(System.out::println);
    return found.isEmpty();
  }

  private static boolean simulate(long first, long count) {
    Simulator simulator = new Simulator();
    long begin = System.nanoTime();
    Optional<Simulator.Found> found =
        simulator.run(
            first,
            count,
            runs -> {
              if (runs % LINE_EVERY == 0) {
                System.err.printf(Locale.ROOT, "%d of %d runs, none failed%n", runs, count);
              }
            });
    double seconds = (System.nanoTime() - begin) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "seeds %d to %d: %d runs, %d events, %d crashes, %.0f runs per second%n",
        first,
        first + count - 1,
        simulator.runs(),
        simulator.events(),
        simulator.crashes(),
        simulator.runs() / seconds);
    simulator.met().entrySet().stream()
        .sorted(java.util.Map.Entry.comparingByKey())
        .forEach(each -> System.out.printf("  %-32s %d%n", each.getKey(), each.getValue()));
    found.ifPresent(each -> {
      System.out.printf(
          "seed %d: %s%n%s%n%s", each.seed(), each.violation(), each.code(), each.log());
    });
    return found.isEmpty();
  }
}
