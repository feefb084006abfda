package dev.damask.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class PolledMessagesTest {
  private static final PolledMessages.Key ONE = new PolledMessages.Key("a", "1");
  private static final PolledMessages.Key TWO = new PolledMessages.Key("a", "2");

  private final PolledMessages messages = new PolledMessages();

  @Test
  void a_message_is_delivered_once_while_its_row_is_there() {
    assertThat(messages.fresh(List.of(ONE))).containsExactly(ONE);
    assertThat(messages.fresh(List.of(ONE, TWO))).containsExactly(TWO);
    assertThat(messages.fresh(List.of(ONE, TWO))).isEmpty();
  }

  @Test
  void a_message_that_is_sent_again_after_it_was_applied_is_delivered_again() {
    messages.fresh(List.of(ONE));
    messages.fresh(List.of());

    assertThat(messages.fresh(List.of(ONE))).containsExactly(ONE);
  }

  @Test
  void a_message_that_could_not_be_applied_is_delivered_again() {
    messages.fresh(List.of(ONE));
    messages.retry(ONE);

    assertThat(messages.fresh(List.of(ONE))).containsExactly(ONE);
  }
}
