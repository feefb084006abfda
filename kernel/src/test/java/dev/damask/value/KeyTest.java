package dev.damask.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class KeyTest {
  record LineItem(String article) {}

  @Test
  void a_key_of_a_class_is_named_after_it() {
    assertThat(Key.of(LineItem.class).name()).isEqualTo("lineItem");
    assertThat(Key.list("items", LineItem.class)).hasToString("items: List<LineItem>");
    assertThat(Key.map("byId", LineItem.class)).hasToString("byId: Map<String, LineItem>");
    assertThatThrownBy(() -> Key.of(" ", String.class)).hasMessage("a key needs a name");
  }

  @Test
  void a_view_reads_a_part_of_another_key() {
    Key<String> text = Key.of("text", String.class);
    Key<Integer> length = text.get("length", String::length);
    Key<Boolean> isLong = length.get("long", n -> n > 3);

    assertThat(Context.of("text", "loom").get(isLong)).isTrue();
    assertThat(isLong.name()).isEqualTo("text.length.long");
    assertThat(isLong.isView()).isTrue();
    assertThat(isLong.entry()).isEqualTo(text);
  }

  @Test
  void keys_with_the_same_name_and_type_are_equal() {
    assertThat(Key.list("a", String.class))
        .isEqualTo(Key.of("a", KeyType.list(KeyType.of(String.class))))
        .isNotEqualTo(Key.of("a", List.class));
  }
}
