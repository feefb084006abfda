package dev.damask.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SlotsTest {
  @Test
  void the_slot_is_the_first_12_bits_of_the_hash() {
    // SHA-256 begins with e3b0 for the empty string and with ba78 for "abc".
    assertThat(Slots.of("")).isEqualTo(0xe3b);
    assertThat(Slots.of("abc")).isEqualTo(0xba7);
  }

  @Test
  void cases_spread_over_all_slots() {
    int[] counts = new int[Slots.COUNT];
    for (int i = 0; i < 100 * Slots.COUNT; i++) {
      counts[Slots.of("case-" + i)]++;
    }

    assertThat(counts).doesNotContain(0);
    for (int count : counts) {
      assertThat(count).isBetween(40, 180);
    }
  }
}
