package dev.damask.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Bytes that no encoder wrote cost neither time nor memory out of proportion to their length.
final class HostileBytesTest {
  private static final int LARGE = 1 << 20;

  private static Decoder decoder(Encoder encoder) {
    return new Decoder(encoder.toBytes());
  }

  @Test
  void a_decimal_with_an_exponent_out_of_this_world_is_refused() {
    for (int scale : new int[] {Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      Encoder out = new Encoder();
      out.natural(1);
      out.text("k");
      out.octet(Encoder.DECIMAL);
      out.whole(scale);
      out.natural(2);
      out.raw(BigInteger.valueOf(1_000).toByteArray());

      assertThatThrownBy(() -> decoder(out).context()).isInstanceOf(Decoder.DamagedBytes.class);
    }
  }

  @Test
  @Timeout(5)
  void a_decimal_of_a_million_digits_is_refused_soon() {
    byte[] digits = BigInteger.TEN.pow(LARGE).toByteArray();
    Encoder out = new Encoder();
    out.natural(1);
    out.text("k");
    out.octet(Encoder.DECIMAL);
    out.whole(0);
    out.natural(digits.length);
    out.raw(digits);

    assertThatThrownBy(() -> decoder(out).context()).isInstanceOf(Decoder.DamagedBytes.class);
  }

  @Test
  void a_context_refuses_a_decimal_it_could_not_read_back() {
    BigDecimal tiny = new BigDecimal(BigInteger.TEN, Integer.MIN_VALUE);

    assertThatThrownBy(() -> Context.of("k", tiny)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Context.of("k", new BigDecimal(BigInteger.TEN.pow(LARGE))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @Timeout(5)
  void a_context_of_very_many_keys_is_read_in_time() {
    Encoder out = new Encoder();
    int keys = 100_000;
    out.natural(keys);
    for (int i = 0; i < keys; i++) {
      out.text(Integer.toString(1_000_000 + i));
      out.octet(Encoder.NULL);
    }

    assertThat(decoder(out).context().size()).isEqualTo(keys);
  }

  @Test
  @Timeout(5)
  void keys_with_the_same_hash_are_no_slower_than_others() {
    Encoder out = new Encoder();
    int keys = 1 << 15;
    out.natural(keys);
    for (int i = 0; i < keys; i++) {
      StringBuilder key = new StringBuilder();
      for (int bit = 14; bit >= 0; bit--) {
        key.append((i >> bit & 1) == 0 ? "Aa" : "BB"); // both have the hash 2112
      }
      out.text(key.toString());
      out.octet(Encoder.NULL);
    }

    assertThat(decoder(out).context().size()).isEqualTo(keys);
  }

  @Test
  void lengths_that_promise_more_than_there_is_are_refused_before_they_cost_anything() {
    for (int tag : new int[] {Encoder.TEXT, Encoder.BYTES, Encoder.LIST, Encoder.MAP}) {
      Encoder out = new Encoder();
      out.octet(tag);
      out.natural(Integer.MAX_VALUE);

      assertThatThrownBy(() -> decoder(out).value())
          .isInstanceOf(Decoder.DamagedBytes.class)
          .hasMessageContaining("length of 2147483647");
    }
  }

  @Test
  void numbers_that_overflow_are_refused_where_a_count_is_expected() {
    byte[] negative = {-1, -1, -1, -1, -1, -1, -1, -1, -1, 1};

    assertThatThrownBy(() -> new Decoder(negative).count())
        .isInstanceOf(Decoder.DamagedBytes.class);
    assertThatThrownBy(() -> new Decoder(negative).below(7))
        .isInstanceOf(Decoder.DamagedBytes.class);
  }
}
