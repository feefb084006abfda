package dev.damask.attribute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.term.Attribute;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// The keys of attribute values.
final class IndexKeyTest {
  private static final Random RANDOM = new Random(7);

  private static AttributeValue random() {
    return switch (RANDOM.nextInt(4)) {
      case 0 -> AttributeValue.of(RANDOM.nextBoolean());
      case 1 -> AttributeValue.of(decimal());
      case 2 -> AttributeValue.of(text());
      default ->
          AttributeValue.of(
              Instant.ofEpochSecond(RANDOM.nextInt(-9, 9), RANDOM.nextInt(0, 999_999_999)));
    };
  }

  private static BigDecimal decimal() {
    BigInteger digits = BigInteger.valueOf(RANDOM.nextLong(-2_000, 2_000));
    return new BigDecimal(digits, RANDOM.nextInt(-4, 5));
  }

  private static String text() {
    StringBuilder text = new StringBuilder();
    for (int left = RANDOM.nextInt(4); left > 0; left--) {
      text.appendCodePoint(new int[] {'a', 'b', 1, 0xE9, 0xFFFD, 0x1F600}[RANDOM.nextInt(6)]);
    }
    return text.toString();
  }

  private static int compare(AttributeValue one, AttributeValue other) {
    if (one.type() != other.type()) {
      return Integer.compare(one.type(), other.type());
    }
    return switch (one) {
      case AttributeValue.Flag(var flag) ->
          Boolean.compare(flag, ((AttributeValue.Flag) other).value());
      case AttributeValue.Decimal(var number) ->
          number.compareTo(((AttributeValue.Decimal) other).value());
      case AttributeValue.Time(var time) -> time.compareTo(((AttributeValue.Time) other).value());
      case AttributeValue.Text(var text) ->
          Arrays.compare(
              text.codePoints().toArray(),
              ((AttributeValue.Text) other).value().codePoints().toArray());
    };
  }

  @Test
  void keys_sort_as_the_values_do_and_end_where_they_say() {
    for (int i = 0; i < 20_000; i++) {
      AttributeValue one = random();
      AttributeValue other = random();
      byte[] first = IndexKey.of(one);
      byte[] second = IndexKey.of(other);

      assertThat(Integer.signum(Arrays.compareUnsigned(first, second)))
          .as("%s and %s", one, other)
          .isEqualTo(Integer.signum(compare(one, other)));
      byte[] longer = Arrays.copyOf(first, first.length + 9);
      assertThat(IndexKey.length(longer, 0)).isEqualTo(first.length);
    }
  }

  @Test
  void a_match_accepts_what_its_words_say() {
    for (int i = 0; i < 20_000; i++) {
      AttributeValue value = random();
      AttributeValue bound = random();
      boolean isOfType = value.type() == bound.type();
      int order = compare(value, bound);

      assertThat(Match.is(bound).test(value)).isEqualTo(order == 0);
      assertThat(Match.above(bound).test(value)).isEqualTo(isOfType && order > 0);
      assertThat(Match.atLeast(bound).test(value)).isEqualTo(isOfType && order >= 0);
      assertThat(Match.below(bound).test(value)).isEqualTo(isOfType && order < 0);
      assertThat(Match.atMost(bound).test(value)).isEqualTo(isOfType && order <= 0);
      if (value instanceof AttributeValue.Text(var text)
          && bound instanceof AttributeValue.Text(var prefix)) {
        assertThat(Match.startsWith(prefix).test(value)).isEqualTo(text.startsWith(prefix));
      }
    }
    assertThatThrownBy(() -> Match.between(1, "one")).hasMessageContaining("one type");
  }

  @Test
  void values_are_read_as_they_were_written() {
    List<AttributeValue> values = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      values.add(random());
    }
    values.add(AttributeValue.of(Instant.MIN));
    values.add(AttributeValue.of(Instant.MAX));
    values.add(AttributeValue.of(new BigDecimal("1E+10000")));
    for (AttributeValue each : values) {
      Encoder out = new Encoder();
      each.write(out);

      Decoder in = new Decoder(out.toBytes());
      assertThat(AttributeValue.read(in)).isEqualTo(each);
      in.requireEnd();
    }
    assertThatThrownBy(() -> AttributeValue.read(new Decoder(new byte[] {9})))
        .isInstanceOf(Decoder.DamagedBytes.class);
  }

  @Test
  void the_scale_of_a_number_and_the_zone_of_a_time_do_not_count() {
    assertThat(AttributeValue.of(new BigDecimal("20.00"))).isEqualTo(AttributeValue.of(20));
    assertThat(AttributeValue.of(2.0)).isEqualTo(AttributeValue.of(2L));
    assertThat(AttributeValue.of(new BigDecimal("0.000"))).isEqualTo(AttributeValue.of(0));
    assertThat(AttributeValue.of(OffsetDateTime.parse("2026-11-15T10:00:00+01:00")))
        .isEqualTo(AttributeValue.of(Instant.parse("2026-11-15T09:00:00Z")));
    assertThat(AttributeValue.of(LocalDate.parse("2026-11-15")))
        .isEqualTo(AttributeValue.of("2026-11-15"));
  }

  @Test
  void a_value_over_a_limit_or_of_a_wrong_type_is_refused() {
    assertThatThrownBy(() -> AttributeValue.of("é".repeat(257)))
        .hasMessage("a string has at most 512 bytes, got 514");
    assertThatThrownBy(() -> AttributeValue.of("a\0b")).hasMessageContaining("U+0000");
    assertThatThrownBy(() -> AttributeValue.of("\uD800")).hasMessageContaining("surrogate");
    assertThatThrownBy(() -> AttributeValue.of(List.of())).hasMessageContaining("got a list");
    assertThatThrownBy(() -> AttributeValue.of(Double.NaN)).hasMessageContaining("finite");
    assertThatThrownBy(() -> AttributeValue.of(new BigDecimal("9".repeat(101))))
        .hasMessage("a number has at most 100 digits, got 101");
    assertThatThrownBy(() -> AttributeValue.of(new BigDecimal("1E+20000")))
        .hasMessageContaining("exponent of at most 10000, got 20000");
    assertThatThrownBy(() -> AttributeValue.of(Attribute.Type.NUMBER, "many"))
        .hasMessage("the declared type is number, got text many");
    assertThatThrownBy(() -> AttributeValue.of(Attribute.Type.TIME, "tomorrow"))
        .hasMessageContaining("2026-11-15T10:00:00Z");
    assertThat(AttributeValue.of(Attribute.Type.TIME, "2026-11-15T10:00:00Z"))
        .isEqualTo(AttributeValue.of(Instant.parse("2026-11-15T10:00:00Z")));
  }
}
