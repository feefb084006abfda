package dev.damask.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ValuesTest {
  private enum Colour {
    RED
  }

  /// Any value a context may hold, by chance.
  static @Nullable Object random(SplittableRandom random, int depth) {
    return switch (random.nextInt(depth == 0 ? 8 : 10)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> (long) random.nextInt(300);
      case 3 -> random.nextLong();
      case 4 -> random.nextInt(9) == 0 ? Double.NaN : Double.longBitsToDouble(random.nextLong());
      case 5 -> BigDecimal.valueOf(random.nextLong(), random.nextInt(-30, 30));
      case 6 -> text(random);
      case 7 -> {
        byte[] bytes = new byte[random.nextInt(5)];
        random.nextBytes(bytes);
        yield Bytes.of(bytes);
      }
      case 8 -> {
        List<@Nullable Object> items = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          items.add(random(random, depth - 1));
        }
        yield items;
      }
      default -> {
        TreeMap<String, @Nullable Object> entries = new TreeMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          entries.put(text(random), random(random, depth - 1));
        }
        yield entries;
      }
    };
  }

  private static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(5); i > 0; i--) {
      int range = random.nextInt(4);
      text.append(
          switch (range) {
            case 0 -> (char) random.nextInt(128);
            case 1 -> (char) random.nextInt(0x10000);
            case 2 -> (char) random.nextInt(0xD800, 0xE000);
            default -> 'z';
          });
    }
    return text.toString();
  }

  @Test
  void every_kind_of_number_becomes_one_of_three() {
    assertThat(Values.of(1)).isEqualTo(1L);
    assertThat(Values.of((short) 1)).isEqualTo(1L);
    assertThat(Values.of((byte) 1)).isEqualTo(1L);
    assertThat(Values.of(1.5f)).isEqualTo(1.5);
    assertThat(Values.of(BigInteger.TEN)).isEqualTo(10L);
    assertThat(Values.of(BigInteger.TWO.pow(70))).isInstanceOf(BigDecimal.class);
  }

  @Test
  void a_decimal_keeps_its_scale_in_a_context_and_in_its_bytes() {
    for (String text : List.of("1.500", "0.000", "-42.00", "1E+3", "12345678901234567890.10")) {
      BigDecimal number = new BigDecimal(text);
      Encoder out = new Encoder();
      out.context(Context.of("k", number));

      assertThat(Context.of("k", number).get("k")).isEqualTo(number);
      assertThat(new Decoder(out.toBytes()).context().get("k")).isEqualTo(number);
    }
  }

  @Test
  void enums_contexts_and_arrays_of_bytes_have_a_plain_form() {
    assertThat(Values.of(Colour.RED)).isEqualTo("RED");
    assertThat(Values.of(Context.of("k", 1))).isEqualTo(Context.of("k", 1).toMap());
    assertThat(Values.of(new byte[] {1})).isEqualTo(Bytes.of((byte) 1));
  }

  @Test
  void what_is_stored_does_not_change_with_what_was_given() {
    List<Object> list = new ArrayList<>(List.of(1));

    Object stored = Values.of(list);
    list.add(2);

    assertThat(stored).isEqualTo(List.of(1L));
  }

  @Test
  void refuses_anything_else_and_names_its_type() {
    assertThatThrownBy(() -> Values.of(Thread.currentThread()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("got java.lang.Thread");
    assertThatThrownBy(() -> Values.of(new TreeMap<>(java.util.Collections.singletonMap(1, 2))))
        .hasMessage("a map in a context has text keys; got 1");
  }

  @Test
  void refuses_values_nested_too_deep_instead_of_overflowing_the_stack() {
    Object allowed = 1L;
    for (int i = 0; i < Values.NESTING_MAX; i++) {
      allowed = List.of(allowed);
    }
    Object tooDeep = List.of(allowed);

    assertThat(Values.of(allowed)).isEqualTo(allowed);
    assertThatThrownBy(() -> Values.of(tooDeep)).hasMessage("a value nests deeper than 256");
    Context full = Context.of("k", allowed);
    assertThatThrownBy(() -> Values.of(full)).hasMessage("a value nests deeper than 256");
  }

  @Test
  void the_canonical_form_of_a_canonical_value_is_itself() {
    for (long seed = 0; seed < 2_000; seed++) {
      Object once = Values.of(random(new SplittableRandom(seed), 3));

      assertThat(Values.of(once)).as("seed %s", seed).isEqualTo(once);
      assertThat(Values.weight(Values.of(once))).isEqualTo(Values.weight(once));
    }
  }
}
