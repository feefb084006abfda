package dev.damask.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.value.Decoder.DamagedBytes;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class EncoderTest {
  private static byte[] encode(Context context) {
    Encoder out = new Encoder();
    out.context(context);
    return out.toBytes();
  }

  private static Context random(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Context context = Context.empty();
    for (int i = random.nextInt(6); i > 0; i--) {
      context = context.with("k" + i, ValuesTest.random(random, 3));
    }
    return context;
  }

  @Test
  void every_context_comes_back_as_it_was() {
    for (long seed = 0; seed < 5_000; seed++) {
      Context context = random(seed);
      Decoder in = new Decoder(encode(context));

      assertThat(in.context()).as("seed %s", seed).isEqualTo(context);
      assertThat(in.atEnd()).isTrue();
    }
  }

  @Test
  void equal_contexts_have_equal_bytes_wherever_they_came_from() {
    Context large = Context.empty();
    for (int i = 0; i < 100; i++) {
      large = large.with("k" + i, i);
    }
    Context shrunk = large;
    for (int i = 10; i < 100; i++) {
      shrunk = shrunk.without("k" + i);
    }
    Context small = Context.empty();
    for (int i = 9; i >= 0; i--) {
      small = small.with("k" + i, i);
    }

    assertThat(encode(shrunk)).isEqualTo(encode(small));
  }

  @Test
  void texts_of_any_length_and_alphabet_come_back_as_they_were() {
    for (String odd : new String[] {"", "?", "ü", "ł", "\uD83D\uDE00", "\uD83D", "\uDE00"}) {
      for (int length = 0; length < 70; length++) {
        String text = "a".repeat(length / 2) + odd + "b".repeat(length - length / 2);
        Encoder out = new Encoder(1);
        out.text(text);

        assertThat(new Decoder(out.toBytes()).text()).isEqualTo(text);
      }
    }
  }

  @Test
  void long_arrays_are_kept_until_the_bytes_are_taken_and_stand_where_they_were_added() {
    byte[] one = new byte[Encoder.KEPT_MIN];
    byte[] other = new byte[2 * Encoder.KEPT_MIN];
    Encoder inner = new Encoder();
    inner.octet(3);
    inner.raw(other);
    Encoder out = new Encoder(1);
    out.octet(1);
    out.raw(one);
    out.octet(2);
    out.raw(inner);
    out.octet(4);

    one[5] = 7; // not copied yet

    byte[] expected = new byte[4 + one.length + other.length];
    expected[0] = 1;
    expected[1 + 5] = 7;
    expected[1 + one.length] = 2;
    expected[2 + one.length] = 3;
    expected[expected.length - 1] = 4;
    assertThat(out.toBytes()).isEqualTo(expected);
    assertThat(out.length()).isEqualTo(expected.length);
    CRC32C whole = new CRC32C();
    whole.update(expected);
    CRC32C pieces = new CRC32C();
    out.addTo(pieces);
    assertThat(pieces.getValue()).isEqualTo(whole.getValue());

    out.clear();
    assertThat(out.toBytes()).isEmpty();
  }

  @Test
  void what_was_added_from_another_encoder_stays_when_the_other_is_used_again() {
    for (int size : new int[] {10, Encoder.KEPT_MIN - 1, Encoder.KEPT_MIN, 5_000}) {
      Encoder other = new Encoder();
      for (int i = 0; i < size; i++) {
        other.octet(7);
      }
      Encoder out = new Encoder();
      out.octet(1);
      out.raw(other);
      byte[] expected = out.toBytes();

      other.clear();
      for (int i = 0; i < size; i++) {
        other.octet(9);
      }

      assertThat(out.toBytes()).isEqualTo(expected);
      assertThat(expected).hasSize(1 + size).startsWith(1, 7);
    }
  }

  @Test
  void bytes_cut_short_are_refused() {
    for (long seed = 0; seed < 300; seed++) {
      byte[] bytes = encode(random(seed));
      for (int length = 0; length < bytes.length; length++) {
        byte[] part = Arrays.copyOf(bytes, length);

        assertThatThrownBy(() -> new Decoder(part).context()).isInstanceOf(DamagedBytes.class);
      }
    }
  }

  @Test
  void damaged_bytes_are_refused_or_mean_another_context_but_never_break_anything() {
    for (long seed = 0; seed < 20_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      byte[] bytes = encode(random(seed % 500));
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try {
        Context other = new Decoder(bytes).context();
        assertThat(new Decoder(encode(other)).context()).isEqualTo(other);
      } catch (DamagedBytes e) {
        assertThat(e).hasMessageStartingWith("corrupt bytes at offset ");
      }
    }
  }

  @Test
  void a_value_nested_too_deep_is_damage_not_an_illegal_argument() {
    byte[] lists = new byte[Values.NESTING_MAX * 2 + 4];
    int length = 0;
    lists[length++] = 1;
    lists[length++] = 0;
    for (int i = 0; i <= Values.NESTING_MAX; i++) {
      lists[length++] = (byte) Encoder.LIST;
      lists[length++] = (byte) (i < Values.NESTING_MAX ? 1 : 0);
    }
    byte[] bytes = Arrays.copyOf(lists, length);

    assertThatThrownBy(() -> new Decoder(bytes).context())
        .isInstanceOf(DamagedBytes.class)
        .hasMessageContaining("nests deeper than 256");
  }

  @Test
  void claimed_lengths_cost_no_memory_before_their_bytes_are_there() {
    byte[] bytes = new byte[3_000_000];
    int at = 0;
    bytes[at++] = 1;
    bytes[at++] = 0;
    for (int i = 0; i < 200; i++) {
      bytes[at++] = (byte) Encoder.LIST;
      bytes[at++] = (byte) 0x80;
      bytes[at++] = (byte) 0x80;
      bytes[at++] = (byte) 0x7F;
    }
    Arrays.fill(bytes, at, bytes.length, (byte) 0xFF);

    assertThatThrownBy(() -> new Decoder(bytes).context()).isInstanceOf(DamagedBytes.class);
  }

  @Test
  void numbers_of_every_size_come_back() {
    for (long number : new long[] {0, 1, 127, 128, -1, 223, 224, Long.MAX_VALUE, Long.MIN_VALUE}) {
      Encoder out = new Encoder();
      out.natural(number);
      out.whole(number);
      out.fixed(number);
      out.value(number);
      Decoder in = new Decoder(out.toBytes());

      assertThat(in.natural()).isEqualTo(number);
      assertThat(in.whole()).isEqualTo(number);
      assertThat(in.fixed()).isEqualTo(number);
      assertThat(in.value()).isEqualTo(number);
    }
  }

  @Test
  void broken_utf_8_and_keys_out_of_order_are_refused() {
    assertDamaged("a string is not UTF-8", 1, 1, 0xFF, Encoder.NULL);
    assertDamaged("a string is not UTF-8", 1, 2, 0xC0, 0x80, Encoder.NULL);
    assertDamaged("keys are not in order", 2, 1, 'b', Encoder.NULL, 1, 'a', Encoder.NULL);
    assertDamaged(
        "keys are not in order", 1, 0, Encoder.MAP, 2, 1, 'b', Encoder.NULL, 1, 'a', Encoder.NULL);
    assertDamaged("an unknown kind of value", 1, 0, 15);
  }

  private static void assertDamaged(@Nullable String what, int... octets) {
    byte[] bytes = new byte[octets.length];
    for (int i = 0; i < octets.length; i++) {
      bytes[i] = (byte) octets[i];
    }
    assertThatThrownBy(() -> new Decoder(bytes).context())
        .isInstanceOf(DamagedBytes.class)
        .hasMessageContaining(what);
  }
}
