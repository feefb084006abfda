package dev.damask.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SecretsTest {
  private static final List<String> ODD =
      List.of(
          "",
          "$",
          "${",
          "${{",
          "${secret.",
          "${secret.A}",
          "${{secret.A}",
          "$${secret.A}",
          "${${secret.A}}",
          "${secret.secret.A}",
          "${secret.ü}",
          "x${secret.A}y${secret.B}z");

  @Test
  void a_marker_is_filled_wherever_it_stands() {
    Object payload = Map.of("a", List.of("Bearer " + Secrets.marker("T"), 7L));

    assertThat(Secrets.fill(payload, name -> "<" + name + ">"))
        .isEqualTo(Map.of("a", List.of("Bearer <T>", 7L)));
  }

  @Test
  void escaped_data_comes_back_as_it_was_and_never_reaches_a_secret() {
    for (String text : ODD) {
      Object escaped = Secrets.escape((Object) text);

      assertThat(Secrets.fill(escaped, name -> "stolen")).as(text).isEqualTo(text);
    }
  }

  @Test
  void a_marker_between_odd_data_is_still_the_only_one() {
    for (String before : ODD) {
      for (String after : ODD) {
        String text = Secrets.escape(before) + Secrets.marker("T") + Secrets.escape(after);

        assertThat(Secrets.fill(text, name -> "<" + name + ">")).isEqualTo(before + "<T>" + after);
      }
    }
  }
}
