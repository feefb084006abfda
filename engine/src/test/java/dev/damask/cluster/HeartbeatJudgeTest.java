package dev.damask.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class HeartbeatJudgeTest {
  private static final long LEASE = 6_000;

  private final HeartbeatJudge judge = new HeartbeatJudge(LEASE);

  private Map<Integer, Long> at(long time, long counter) {
    return judge.read(time, time, Map.of(2, counter));
  }

  @Test
  void a_counter_that_stands_for_a_whole_lease_is_a_dead_node() {
    for (long time = 0; time < LEASE; time += 500) {
      assertThat(at(time, 7)).as("at %d", time).isEmpty();
    }

    assertThat(at(LEASE, 7)).containsExactly(Map.entry(2, 7L));
  }

  @Test
  void a_counter_that_was_raised_or_went_back_is_counted_from_then() {
    for (long time = 0; time < LEASE; time += 500) {
      at(time, 7);
    }

    assertThat(at(LEASE, 8)).isEmpty();
    assertThat(at(LEASE + 500, 3)).isEmpty();
    assertThat(at(LEASE + 1_000, 3)).isEmpty();
  }

  /// Without the rule about gaps, the first reading after an outage of the database finds every
  /// counter unchanged for longer than the lease, and living nodes fence each other.
  @Test
  void after_a_gap_in_the_observers_own_readings_it_counts_from_the_beginning() {
    at(0, 7);
    at(500, 7);

    assertThat(at(8_500, 7)).isEmpty();

    for (long time = 9_000; time < 8_500 + LEASE; time += 500) {
      assertThat(at(time, 7)).as("at %d", time).isEmpty();
    }
    assertThat(at(8_500 + LEASE, 7)).containsKey(2);
  }

  @Test
  void readings_a_third_of_the_lease_apart_count_and_larger_gaps_do_not() {
    for (long time = 0; time < LEASE; time += LEASE / 3) {
      assertThat(at(time, 7)).isEmpty();
    }
    assertThat(at(LEASE, 7)).containsKey(2);

    HeartbeatJudge other = new HeartbeatJudge(LEASE);
    for (long time = 0; time < 10 * LEASE; time += LEASE / 3 + 1) {
      assertThat(other.read(time, time, Map.of(2, 7L))).isEmpty();
    }
  }

  /// The reading may have happened at the end of the first round trip and at the beginning of the
  /// last one.
  @Test
  void a_slow_round_trip_does_not_make_a_node_older() {
    judge.read(0, 1_500, Map.of(2, 7L));
    for (long time = 1_500; time < LEASE; time += 500) {
      judge.read(time, time, Map.of(2, 7L));
    }

    assertThat(judge.read(LEASE, LEASE + 1_000, Map.of(2, 7L))).isEmpty();
    assertThat(judge.read(LEASE + 1_500, LEASE + 1_500, Map.of(2, 7L))).containsKey(2);
  }

  @Test
  void a_node_that_is_new_to_the_observer_has_a_whole_lease() {
    for (long time = 0; time < 2 * LEASE; time += 500) {
      at(time, time);
    }

    assertThat(judge.read(2 * LEASE, 2 * LEASE, Map.of(2, 0L, 3, 9L))).isEmpty();
  }

  @Test
  void the_monotonic_clock_may_overflow() {
    long start = Long.MAX_VALUE - LEASE / 2;
    for (long passed = 0; passed < LEASE; passed += 500) {
      assertThat(at(start + passed, 7)).isEmpty();
    }

    assertThat(at(start + LEASE, 7)).containsKey(2);
  }
}
