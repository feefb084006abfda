package dev.damask.simulation;

import java.util.Locale;
import java.util.Optional;

/// Simulates as long as one likes: `Simulate [FIRST_SEED [RUNS]]`. Ends with 1 when a seed fails,
/// after it has made the run small and printed it as a line of code.
public final class Simulate {
  private static final long RUNS = 100_000;
  private static final long LINE_EVERY = 5_000;

  private Simulate() {}

  public static void main(String[] arguments) {
    long first = arguments.length > 0 ? Long.parseLong(arguments[0]) : System.nanoTime() >>> 10;
    long count = arguments.length > 1 ? Long.parseLong(arguments[1]) : RUNS;
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
      System.exit(1);
    });
  }
}
