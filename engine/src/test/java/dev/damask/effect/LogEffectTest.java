package dev.damask.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LogEffectTest {
  private final List<String> lines = new ArrayList<>();
  private final LogEffect log = new LogEffect((level, line) -> lines.add(level + " " + line));

  @Test
  void a_message_is_logged_at_its_level() throws EffectException {
    log.call(Calls.of("log", Map.of("message", "hello")));
    log.call(Calls.of("log", Map.of("message", "bad", "level", "Warning")));
    log.call(Calls.of("log", Map.of("message", 42)));
    log.call(Calls.of("log", Map.of()));

    assertThat(lines).containsExactly("INFO hello", "WARNING bad", "INFO 42", "INFO ");
  }

  @Test
  void a_message_cannot_forge_a_line_or_move_the_cursor() throws EffectException {
    log.call(
        Calls.of(
            "log", Map.of("message", "a\r\nERROR b\u001b[2J\u2028c\u202ed\u0000\t\ud800é漢😀")));

    assertThat(lines)
        .containsExactly("INFO a\\r\\nERROR b\\u{1b}[2J\\u{2028}c\\u{202e}d\\u{0}\\t\\u{d800}é漢😀");
  }

  @Test
  void a_long_message_is_cut() throws EffectException {
    log.call(Calls.of("log", Map.of("message", "x".repeat(100_000))));

    assertThat(lines.getFirst()).hasSize("INFO ".length() + 8_192 + 1).endsWith("x…");
  }

  @Test
  void what_is_no_level_fails_the_task() {
    assertThatThrownBy(() -> log.call(Calls.of("log", Map.of("level", "loud\n"))))
        .isInstanceOf(EffectException.class)
        .hasMessage("log: 'level' is trace, debug, info, warning or error, found 'loud\\n'");
    assertThatThrownBy(() -> log.call(Calls.of("log", Map.of("mesage", "x"))))
        .hasMessage("log: 'mesage' is not one of message, level");
  }
}
