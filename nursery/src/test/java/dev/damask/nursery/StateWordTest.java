package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The state machine, one thread at a time.
class StateWordTest {

  private static final Map<NurseryState, Set<NurseryState>> ALLOWED = allowed();

  @Test
  void an_empty_nursery_closes_at_once() {
    var word = new StateWord();

    var step = word.close();

    assertThat(step).isEqualTo(StateWord.Step.ENDED);
    assertThat(word.state()).isEqualTo(NurseryState.CLOSED);
  }

  @Test
  void an_empty_nursery_is_cancelled_at_once() {
    var word = new StateWord();

    var step = word.cancel();

    assertThat(step).isEqualTo(StateWord.Step.ENDED);
    assertThat(word.state()).isEqualTo(NurseryState.CANCELLED);
  }

  @Test
  void the_last_child_ends_a_closing_nursery_and_the_one_before_does_not() {
    var word = new StateWord();
    word.enter();
    word.enter();
    word.close();

    var first = word.leave();
    var second = word.leave();

    assertThat(first).isEqualTo(StateWord.Step.MOVED);
    assertThat(second).isEqualTo(StateWord.Step.ENDED);
  }

  @Test
  void a_child_that_was_never_counted_cannot_leave() {
    var word = new StateWord();

    assertThatThrownBy(word::leave).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void every_sequence_of_steps_keeps_to_the_table_of_transitions() {
    int length = 7;
    for (int sequence = 0; sequence < 1 << (2 * length); sequence++) {
      var word = new StateWord();
      for (int i = 0; i < length; i++) {
        var from = word.state();
        long running = word.running();

        var step = apply(word, (sequence >>> (2 * i)) & 3);

        assertThat(ALLOWED.get(from)).contains(word.state());
        assertThat(step == StateWord.Step.ENDED)
            .isEqualTo(!from.isTerminal() && word.state().isTerminal());
        assertThat(word.running() == 0 || !word.state().isTerminal()).isTrue();
        assertThat(word.running() <= running || from == NurseryState.OPEN).isTrue();
      }
    }
  }

  private static StateWord.Step apply(StateWord word, int operation) {
    return switch (operation) {
      case 0 -> word.enter();
      case 1 -> word.running() == 0 ? StateWord.Step.REFUSED : word.leave();
      case 2 -> word.close();
      default -> word.cancel();
    };
  }

  /// What one step may do, the two transitions of an empty nursery taken together.
  private static Map<NurseryState, Set<NurseryState>> allowed() {
    var table = new EnumMap<NurseryState, Set<NurseryState>>(NurseryState.class);
    table.put(NurseryState.OPEN, EnumSet.allOf(NurseryState.class));
    table.put(
        NurseryState.CLOSING,
        EnumSet.of(NurseryState.CLOSING, NurseryState.CANCELLING, NurseryState.CLOSED));
    table.put(NurseryState.CANCELLING, EnumSet.of(NurseryState.CANCELLING, NurseryState.CANCELLED));
    table.put(NurseryState.CLOSED, EnumSet.of(NurseryState.CLOSED));
    table.put(NurseryState.CANCELLED, EnumSet.of(NurseryState.CANCELLED));
    return table;
  }
}
