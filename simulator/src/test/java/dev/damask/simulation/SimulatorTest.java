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
  /// Fixed and fresh ones together; a campaign runs more with `-Ddamask.simulations=1000000`.
  private static final long RUNS = Long.getLong("damask.simulations", 10_200);

  /// So many at least that every rare situation is met.
  private static final long FIXED = Math.min(10_000, Math.max(1, RUNS - 200));

  /// A machine that is slow or busy runs as many fresh seeds as it can in this time.
  private static final Duration FRESH = Duration.ofSeconds(45);

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
    Set<CoveragePoint> missed = EnumSet.allOf(CoveragePoint.class);
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

  /// A task that was requested again and cancelled before the next commit left a receipt without an
  /// intent.
  @Test
  void an_attempt_that_is_cancelled_before_its_commit_leaves_no_receipt() throws Exception {
    require(Campaign.run(717_570_110_867L, 1, FRESH, _ -> {}));
  }

  /// The result of an attempt that was called twice came after another effect had used the key.
  @Test
  void a_user_given_key_has_one_result_also_after_a_quarantine() throws Exception {
    require(Campaign.run(850_546_139_703L, 1, FRESH, _ -> {}));
    require(Campaign.run(930_000_185_213L, 1, FRESH, _ -> {}));
  }

  /// A permit returned just when a call of another type, limited by a rate, had become due.
  @Test
  void a_call_that_waits_for_its_rate_is_made_in_the_end() throws Exception {
    require(Campaign.run(980_000_029_382L, 1, FRESH, _ -> {}));
  }

  /// A failure with several others attached filled more bytes of its scope than an encoder copies.
  @Test
  void a_long_record_of_a_scope_is_read_back() throws Exception {
    require(Campaign.run(991_000_004_627L, 1, FRESH, _ -> {}));
  }

  /// The result of an earlier attempt came a second time while the next attempt waited for its
  /// rate.
  @Test
  void a_case_that_was_paused_while_a_call_waited_makes_the_call_when_it_is_resumed()
      throws Exception {
    require(Campaign.run(831_018_477_470L, 1, FRESH, _ -> {}));
  }

  @Test
  void one_seed_gives_one_exact_run_whatever_ran_before_it() {
    Simulator busy = new Simulator();
    for (long seed = 1; seed <= 60; seed++) {
      assertThat(busy.hash(seed)).as("seed %d", seed).isEqualTo(new Simulator().hash(seed));
    }
  }

  /// The index of a schedule kept a due time that had passed, so that the time started a second
  /// case after the first had ended and was removed.
  @Test
  void a_time_of_a_schedule_starts_one_case() throws Exception {
    require(Campaign.run(393_593_255_034L, 1, FRESH, _ -> {}));
  }
}
