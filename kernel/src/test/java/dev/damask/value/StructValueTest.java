package dev.damask.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class StructValueTest {
  private static final StructValue.Maker MAKER =
      new StructValue.Maker(new StructValue.Shape(List.of("a", "b", "c")));

  private static StructValue value() {
    return MAKER.of(new Object[] {1, new BigDecimal("2.00"), List.of("x")});
  }

  @Test
  void it_equals_the_map_with_the_same_entries() {
    Map<String, Object> map = Map.of("a", 1L, "b", new BigDecimal("2.00"), "c", List.of("x"));
    Context one = Context.of("v", value());
    Context other = Context.of("v", map);

    assertThat(one).isEqualTo(other);
    assertThat(other).isEqualTo(one);
    assertThat(one.hashCode()).isEqualTo(other.hashCode());
    assertThat(one.weight()).isEqualTo(other.weight());
    assertThat(one).hasToString(other.toString());
  }

  @Test
  void it_has_the_bytes_of_that_map() {
    Encoder one = new Encoder();
    one.value(value());
    Encoder other = new Encoder();
    other.value(Values.of(Map.of("a", 1L, "b", new BigDecimal("2.00"), "c", List.of("x"))));

    assertThat(one.toBytes()).isEqualTo(other.toBytes());
  }

  @Test
  void what_it_was_decoded_to_is_known_to_the_same_decoder_only() {
    StructValue value = value();
    Object decoder = new Object();
    value.keep(decoder, "decoded");

    assertThat(value.decodedBy(decoder)).isEqualTo("decoded");
    assertThat(value.decodedBy(new Object())).isNull();
    assertThat(value).isEqualTo(value());
  }

  @Test
  void values_outside_of_the_closed_set_and_unsorted_names_are_refused() {
    assertThatThrownBy(() -> MAKER.of(new Object[] {new Object(), 2, 3}))
        .hasMessageContaining("a context holds");
    assertThatThrownBy(() -> MAKER.of(new Object[] {1})).hasMessage("expected 3 values, got 1");
    assertThatThrownBy(() -> new StructValue.Shape(List.of("b", "a")))
        .hasMessageContaining("not sorted");
  }

  @Test
  void nesting_is_bounded_also_inside_other_values() {
    StructValue.Maker maker = new StructValue.Maker(new StructValue.Shape(List.of("in")));
    Object value = 1;
    for (int i = 0; i < Values.NESTING_MAX; i++) {
      value = maker.of(new Object[] {value});
    }
    Object deepest = value;

    assertThat(Context.of("v", deepest).has("v")).isTrue();
    assertThatThrownBy(() -> maker.of(new Object[] {deepest})).hasMessageContaining("deeper");
    assertThatThrownBy(() -> Context.of("v", List.of(deepest))).hasMessageContaining("deeper");
  }
}
