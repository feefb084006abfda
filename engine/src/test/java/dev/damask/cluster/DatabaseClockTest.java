package dev.damask.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DatabaseClockTest {
  private static final long MILLI = 1_000_000;

  private final DatabaseClock clock = new DatabaseClock(10_000, 0);

  @Test
  void the_monotonic_clock_carries_the_last_reading_on() {
    assertThat(clock.millis(250 * MILLI)).isEqualTo(10_250);

    clock.read(20_000, 300 * MILLI);

    assertThat(clock.millis(301 * MILLI)).isEqualTo(20_001);
    assertThat(clock.nanosUntil(20_005, 301 * MILLI)).isEqualTo(4 * MILLI);
    assertThat(clock.nanosUntil(Long.MAX_VALUE, 301 * MILLI)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void it_never_goes_back_also_when_the_databases_clock_does() {
    assertThat(clock.millis(5_000 * MILLI)).isEqualTo(15_000);

    clock.read(11_000, 5_000 * MILLI);

    assertThat(clock.millis(6_000 * MILLI)).isEqualTo(15_000);
    assertThat(clock.nanosUntil(15_001, 6_000 * MILLI)).isEqualTo(3_001 * MILLI);
    assertThat(clock.millis(9_001 * MILLI)).isEqualTo(15_001);
  }

  @Test
  void a_wall_clock_that_differs_by_more_than_a_second_is_noticed() {
    assertThat(clock.isSkewed(11_000, 0)).isFalse();
    assertThat(clock.isSkewed(11_001, 0)).isTrue();
    assertThat(clock.isSkewed(10_000 - 86_400_000L, 0)).isTrue();
    assertThat(clock.isSkewed(12_500, 2_000 * MILLI)).isFalse();
  }
}
