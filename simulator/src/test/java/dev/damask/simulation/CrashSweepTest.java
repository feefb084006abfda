package dev.damask.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Short runs of one case, killed at every moment and at every pair of moments.
@Timeout(300)
final class CrashSweepTest {
  /// Each probe once, and a workflow by chance.
  private static final long KINDS = Workload.PROBES;

  private static final long[] MORE_BY_CHANCE = {17, 35, 53, 71};

  @Test
  void a_run_that_is_killed_anywhere_and_then_anywhere_again_ends_as_it_must() {
    CrashSweep sweep = new CrashSweep();

    for (long seed = 0; seed < KINDS; seed++) {
      assertThat(sweep.run(seed)).isEmpty();
    }
    for (long seed : MORE_BY_CHANCE) {
      assertThat(sweep.run(seed)).isEmpty();
    }

    System.out.printf("%d runs, %d of them killed twice%n", sweep.runs(), sweep.pairs());
    assertThat(sweep.pairs()).isGreaterThan(1_000);
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITES_NO_INTENT", "FORGETS_THE_COUNTERS_OF_LOOPS"})
  void it_finds_a_planted_bug(Mutant mutant) throws Exception {
    Class<?> sweeping = mutant.load().loadClass(CrashSweep.class.getName());
    Object sweep = sweeping.getConstructor().newInstance();

    Optional<?> found = Optional.empty();
    for (long seed = 0; seed < KINDS && found.isEmpty(); seed++) {
      found = (Optional<?>) sweeping.getMethod("run", long.class).invoke(sweep, seed);
    }

    assertThat(found).isPresent();
    System.out.println(mutant + ": " + found.orElseThrow());
  }
}
