package dev.damask.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The engine under everything that can go wrong: fixed seeds, fresh seeds, and proof that the runs
/// reach the places that matter.
final class SimulatorTest {
  private static final long FIXED = 3_000;
  private static final Duration FRESH = Duration.ofSeconds(20);

  private static void require(java.util.Optional<Simulator.Found> found) {
    found.ifPresent(each ->
        fail(
            "seed %d: %s%n%s%n%s"
                .formatted(each.seed(), each.violation(), each.code(), each.log())));
  }

  @Test
  void fixed_seeds_keep_every_promise_and_reach_every_rare_situation() {
    Simulator simulator = new Simulator();

    require(simulator.run(1, FIXED, _ -> {}));

    Set<Situation> missed = EnumSet.allOf(Situation.class);
    simulator
        .met()
        .forEach((situation, times) -> {
          if (times > 0) {
            missed.remove(situation);
          }
        });
    assertThat(missed).isEmpty();
  }

  @Test
  void fresh_seeds_keep_every_promise() {
    long first = System.nanoTime() & 0xFFFF_FFFFFFL;
    System.out.println("simulated seeds from " + first + " on");
    Simulator simulator = new Simulator();
    long end = System.nanoTime() + FRESH.toNanos();
    for (long seed = first; System.nanoTime() < end; seed++) {
      require(simulator.run(seed));
    }
    System.out.printf(
        "%d runs, %d events, %d crashes%n",
        simulator.runs(), simulator.events(), simulator.crashes());
    assertThat(simulator.runs()).isPositive();
  }

  @Test
  void one_seed_gives_one_exact_run() {
    for (long seed = 1; seed <= 50; seed++) {
      assertThat(Simulator.hash(seed)).as("seed %d", seed).isEqualTo(Simulator.hash(seed));
    }
  }
}
