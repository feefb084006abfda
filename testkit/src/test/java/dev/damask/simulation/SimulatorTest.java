package dev.damask.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The engine under everything that can go wrong: fixed seeds, fresh seeds, and proof that the runs
/// reach the places that matter.
@Timeout(1_200)
final class SimulatorTest {
  /// Fixed and fresh ones together; fewer with `-Ddamask.simulations=2000`.
  private static final long RUNS = Long.getLong("damask.simulations", 100_000);

  private static final long FIXED = RUNS / 10;

  /// A machine that is slow or busy runs as many fresh seeds as it can in this time.
  private static final Duration FRESH = Duration.ofSeconds(80);

  private static void require(Campaign campaign) {
    campaign
        .found()
        .ifPresent(each ->
            fail(
                "seed %d: %s%n%s%n%s"
                    .formatted(each.seed(), each.violation(), each.code(), each.log())));
    System.out.printf(
        "%d runs, %d events, %d crashes%n", campaign.runs(), campaign.events(), campaign.crashes());
  }

  @Test
  void fixed_seeds_keep_every_promise_and_reach_every_rare_situation() throws Exception {
    Campaign campaign = Campaign.run(1, FIXED, Campaign.ENDLESS, _ -> {});

    require(campaign);
    Set<Situation> missed = EnumSet.allOf(Situation.class);
    campaign
        .met()
        .forEach((situation, times) -> {
          if (times > 0) {
            missed.remove(situation);
          }
        });
    assertThat(missed).isEmpty();
  }

  @Test
  void fresh_seeds_keep_every_promise() throws Exception {
    long first = System.nanoTime() & 0xFFFF_FFFFFFL;
    System.out.println("simulated seeds from " + first + " on");

    Campaign campaign = Campaign.run(first, RUNS - FIXED, FRESH, _ -> {});

    require(campaign);
    assertThat(campaign.runs()).isPositive();
  }

  @Test
  void one_seed_gives_one_exact_run_whatever_ran_before_it() {
    Simulator busy = new Simulator();
    for (long seed = 1; seed <= 60; seed++) {
      assertThat(busy.hash(seed)).as("seed %d", seed).isEqualTo(new Simulator().hash(seed));
    }
  }
}
