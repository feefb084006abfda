package dev.damask.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.crash.Ledger.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The witness tells what no engine may do; and only that.
final class LedgerTest {
  private static final Entry CHARGE = new Entry(Paying.CHARGE, "a", "a:1", "7");
  private static final Entry SHIP = new Entry(Paying.SHIP, "a", "a:2", "7");

  private static List<String> problems(Entry... entries) {
    return new Ledger(List.of(entries)).problems();
  }

  @Test
  void a_keyed_effect_may_be_sent_again_as_it_was() {
    assertThat(problems(CHARGE, SHIP, CHARGE)).isEmpty();
    assertThat(new Ledger(List.of(CHARGE, SHIP, CHARGE)).calls("a", Paying.CHARGE)).isEqualTo(2);
  }

  @Test
  void an_effect_of_at_most_once_may_not() {
    assertThat(problems(SHIP, CHARGE, SHIP))
        .singleElement()
        .asString()
        .startsWith("at most once was called twice");
  }

  @Test
  void a_key_asks_for_one_thing_and_an_effect_has_one_key() {
    assertThat(problems(CHARGE, new Entry(Paying.CHARGE, "a", "a:1", "8")))
        .singleElement()
        .asString()
        .startsWith("one key asks for two things");
    assertThat(problems(CHARGE, new Entry(Paying.CHARGE, "a", "a:3", "7")))
        .singleElement()
        .asString()
        .startsWith("an effect was sent under two keys");
  }

  @Test
  void a_line_is_read_as_it_was_written() {
    assertThat(Entry.parse(SHIP.line())).isEqualTo(SHIP);
  }
}
