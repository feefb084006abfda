package dev.damask.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The test of the tests: every planted bug is found by the simulator.
@Timeout(300)
final class MutantsTest {
  private static final long RUNS_MAX = 1_500;

  @ParameterizedTest
  @EnumSource(Mutant.class)
  void the_simulator_finds(Mutant mutant) throws Exception {
    Class<?> simulator = mutant.load().loadClass(Simulator.class.getName());
    Object made = simulator.getConstructor().newInstance();
    long begin = System.nanoTime();

    Optional<?> found =
        (Optional<?>)
            simulator.getMethod("search", long.class, long.class).invoke(made, 1L, RUNS_MAX);

    double seconds = (System.nanoTime() - begin) / 1e9;
    assertThat(found).as("%s after %d runs", mutant, RUNS_MAX).isPresent();
    // A class that does not link is no bug.
    assertThat(found.orElseThrow().toString()).doesNotContain("IllegalAccess", "VerifyError");
    System.out.printf("%s: found in %.2f s by %s%n", mutant, seconds, found.orElseThrow());
  }
}
