package dev.damask.store.postgres;

import dev.damask.process.VirtualLoader;
import dev.damask.simulation.Choices;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Runs seeds of the simulation with several nodes.
///
/// ```
/// NodesSimulator [FIRST_SEED [RUNS [log|shrink]]]  runs seeds; prints those that fail
/// NodesSimulator mutants RUNS [NAME]               prints which seed finds each mutant
/// ```
final class NodesSimulator {
  private final Method run;
  private final Method choices;
  private final Method describe;
  private final List<String> scripts = PostgresSchema.shipped();
  private long steps;

  /// A run that failed.
  ///
  /// @param choices the smallest plan that was found to fail with this seed
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Found(long seed, String violation, int[] choices, String plan, String log) {}

  /// @param loader loads the engine, with or without a bug
  NodesSimulator(VirtualLoader loader) throws ReflectiveOperationException {
    Class<?> type = loader.loadClass(NodesRun.class.getName());
    this.run = type.getMethod("run", long.class, int[].class, List.class, boolean.class);
    this.choices = type.getMethod("choices", long.class);
    this.describe = type.getMethod("describe", int[].class);
  }

  static NodesSimulator sound() {
    try {
      return new NodesSimulator(new VirtualLoader(NodesSimulator.class.getClassLoader()));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<String> play(long seed, int[] plan, boolean isLogged) {
    List<?> result = (List<?>) invoke(run, seed, plan, scripts, isLogged);
    steps += Long.parseLong((String) result.get(2));
    return result.stream().map(String::valueOf).toList();
  }

  private static Object invoke(Method method, Object... arguments) {
    try {
      return method.invoke(null, arguments);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException("a run broke", e.getCause());
    }
  }

  int[] choices(long seed) {
    int[] made = (int[]) invoke(choices, seed);
    Integer theme = Integer.getInteger("damask.nodes.theme");
    if (theme != null) {
      made[0] = theme;
    }
    return made;
  }

  /// Returns the hash of a run.
  String hash(long seed) {
    return play(seed, choices(seed), false).get(1);
  }

  /// Returns the violation of a seed; empty if there is none.
  String violation(long seed) {
    return play(seed, choices(seed), false).getFirst();
  }

  String log(long seed) {
    return play(seed, choices(seed), true).get(3);
  }

  long steps() {
    return steps;
  }

  /// Runs seeds until one fails.
  ///
  /// @param shrinks whether the plan of the failing seed is made smaller
  Optional<Found> search(long first, long count, boolean shrinks) {
    for (long seed = first; seed < first + count; seed++) {
      String violation = violation(seed);
      if (!violation.isEmpty()) {
        return Optional.of(found(seed, choices(seed), violation, shrinks));
      }
    }
    return Optional.empty();
  }

  /// Runs seeds with faults of one theme until one fails.
  Optional<Found> search(int theme, long count) {
    for (long seed = 1; seed <= count; seed++) {
      int[] plan = choices(seed);
      plan[0] = theme;
      String violation = play(seed, plan, false).getFirst();
      if (!violation.isEmpty()) {
        return Optional.of(new Found(seed, violation, plan, "", ""));
      }
    }
    return Optional.empty();
  }

  private Found found(long seed, int[] given, String violation, boolean shrinks) {
    int[] plan = given;
    if (shrinks) {
      plan = Choices.shrink(plan, less -> !play(seed, less, false).getFirst().isEmpty());
    }
    List<String> last = play(seed, plan, true);
    return new Found(
        seed,
        shrinks ? last.getFirst() : violation,
        plan,
        (String) invoke(describe, plan),
        last.get(3));
  }

  private static void mutants(String[] arguments) throws ReflectiveOperationException {
    for (NodesMutant mutant : NodesMutant.values()) {
      if (arguments.length == 2 || mutant.name().contains(arguments[2])) {
        long begin = cpu();
        Optional<Found> found =
            new NodesSimulator(mutant.load()).search(mutant.theme(), Long.parseLong(arguments[1]));
        System.out.printf(
            Locale.ROOT,
            "%s: %s, %.1f s%n",
            mutant,
            found.map(each -> "seed " + each.seed + " by " + each.violation).orElse("not found"),
            (cpu() - begin) / 1e9);
      }
    }
  }

  public static void main(String[] arguments) throws ReflectiveOperationException {
    if (arguments.length > 1 && arguments[0].equals("mutants")) {
      mutants(arguments);
      return;
    }
    long first = arguments.length > 0 ? Long.parseLong(arguments[0]) : System.nanoTime() >>> 10;
    long count = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1_000;
    NodesSimulator simulator = sound();
    long begin = cpu();
    for (long seed = first; seed < first + count; seed++) {
      long before = cpu();
      long steps = simulator.steps();
      Optional<Found> found = simulator.search(seed, 1, false);
      if (Boolean.getBoolean("damask.nodes.each")) {
        System.out.printf(
            "%d: %d steps, %d ms%n", seed, simulator.steps() - steps, (cpu() - before) / 1_000_000);
      }
      if (found.isPresent()) {
        System.out.println("seed " + seed + ": " + found.get().violation);
        if (arguments.length > 2) {
          Found small =
              simulator.found(seed, simulator.choices(seed), "", arguments[2].equals("shrink"));
          System.out.println(small.violation + "\n" + small.plan + "\n" + small.log);
          return;
        }
      }
    }
    double seconds = (cpu() - begin) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "seeds %d to %d: %d steps, %.1f runs per CPU second%n",
        first,
        first + count - 1,
        simulator.steps(),
        count / seconds);
  }

  private static long cpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }
}
