package dev.damask.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A sequence of small numbers that determines a generated workflow or run. The same sequence
/// produces the same result. A shorter sequence or smaller numbers produce a simpler result, so a
/// failing sequence can be shrunk.
public final class Choices {
  private final int[] given;
  private final @Nullable SplittableRandom random;
  private final List<Integer> taken = new ArrayList<>();

  private Choices(int[] given, @Nullable SplittableRandom random) {
    this.given = given;
    this.random = random;
  }

  /// Creates random choices from a seed.
  public static Choices of(long seed) {
    return new Choices(new int[0], new SplittableRandom(seed));
  }

  /// Creates the given choices, followed by zeros.
  public static Choices of(int... given) {
    return new Choices(given.clone(), null);
  }

  /// Returns a number between zero and the bound, exclusive.
  public int next(int bound) {
    int at = taken.size();
    int value;
    if (at < given.length) {
      value = Math.floorMod(given[at], bound);
    } else {
      value = random == null ? 0 : random.nextInt(bound);
    }
    taken.add(value);
    return value;
  }

  /// Returns true in one of `times` cases.
  public boolean oneIn(int times) {
    return next(times) == times - 1;
  }

  /// Returns the choices made so far.
  public int[] taken() {
    return taken.stream().mapToInt(Integer::intValue).toArray();
  }

  /// Returns the simplest sequence found that still fails: shortest first, then smallest numbers.
  public static int[] shrink(int[] failing, Predicate<int[]> fails) {
    int[] best = failing;
    boolean better = true;
    while (better) {
      better = false;
      for (int size = best.length; size > 0 && !better; size /= 2) {
        for (int from = 0; from + size <= best.length && !better; from += size) {
          int[] shorter = without(best, from, size);
          if (fails.test(shorter)) {
            best = shorter;
            better = true;
          }
        }
      }
      for (int i = 0; i < best.length && !better; i++) {
        if (best[i] > 0) {
          int[] smaller = best.clone();
          smaller[i] = best[i] / 2;
          if (fails.test(smaller)) {
            best = smaller;
            better = true;
          }
        }
      }
    }
    return best;
  }

  private static int[] without(int[] values, int from, int size) {
    int[] rest = new int[values.length - size];
    System.arraycopy(values, 0, rest, 0, from);
    System.arraycopy(values, from + size, rest, from, rest.length - from);
    return rest;
  }
}
