package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/// The state machine under the interleavings of three threads (N1 to N3): whatever the order, each
/// step must do what it does in some order of whole steps, as the plain machine below says.
class StateWordModelTest {

  @Test
  void no_interleaving_of_steps_breaks_the_state_word() {
    options().check(RealWord.class);
  }

  @Test
  void the_checker_finds_a_child_that_slips_into_a_nursery_being_closed() {
    assertThatThrownBy(() -> options().check(CheckThenAct.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  @Test
  void the_checker_finds_two_children_that_both_believe_to_be_the_last() {
    assertThatThrownBy(() -> options().check(CountThenState.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  private static ModelCheckingOptions options() {
    return new ModelCheckingOptions()
        .sequentialSpecification(PlainMachine.class)
        .iterations(5)
        .invocationsPerIteration(300)
        .threads(3)
        .actorsPerThread(3)
        .actorsBefore(2)
        .actorsAfter(1)
        .minimizeFailedScenario(false);
  }

  /// The word that the nursery uses.
  public static class RealWord {
    private final StateWord word = new StateWord();

    @Operation
    public String enter() {
      return word.enter().name();
    }

    @Operation
    public String leave() {
      try {
        return word.leave().name();
      } catch (IllegalStateException e) {
        return "NONE";
      }
    }

    @Operation
    public String close() {
      return word.close().name();
    }

    @Operation
    public String cancel() {
      return word.cancel().name();
    }

    @Operation
    public String state() {
      return word.state().name();
    }
  }

  /// What the word must look like from outside, written for one thread.
  public static class PlainMachine {
    NurseryState state = NurseryState.OPEN;
    int running;

    public String enter() {
      if (state != NurseryState.OPEN) {
        return "REFUSED";
      }
      running++;
      return "MOVED";
    }

    public String leave() {
      if (running == 0) {
        return "NONE";
      }
      running--;
      return settle();
    }

    public String close() {
      if (state != NurseryState.OPEN) {
        return "REFUSED";
      }
      state = NurseryState.CLOSING;
      return settle();
    }

    public String cancel() {
      if (state != NurseryState.OPEN && state != NurseryState.CLOSING) {
        return "REFUSED";
      }
      state = NurseryState.CANCELLING;
      return settle();
    }

    public String state() {
      return state.name();
    }

    private String settle() {
      if (running > 0 || state == NurseryState.OPEN) {
        return "MOVED";
      }
      state = state == NurseryState.CLOSING ? NurseryState.CLOSED : NurseryState.CANCELLED;
      return "ENDED";
    }
  }

  /// Broken on purpose: two words, and a look at the one before a change of the other.
  public static class CheckThenAct {
    final AtomicReference<NurseryState> state = new AtomicReference<>(NurseryState.OPEN);
    final AtomicLong running = new AtomicLong();

    @Operation
    public String enter() {
      if (state.get() != NurseryState.OPEN) {
        return "REFUSED";
      }
      running.incrementAndGet();
      return "MOVED";
    }

    @Operation
    public String close() {
      if (!state.compareAndSet(NurseryState.OPEN, NurseryState.CLOSING)) {
        return "REFUSED";
      }
      if (running.get() > 0) {
        return "MOVED";
      }
      state.set(NurseryState.CLOSED);
      return "ENDED";
    }

    @Operation
    public String state() {
      return state.get().name();
    }
  }

  /// Broken on purpose: the count goes down first, the state is looked at second.
  public static class CountThenState {
    final AtomicReference<NurseryState> state = new AtomicReference<>(NurseryState.OPEN);
    final AtomicLong running = new AtomicLong();

    @Operation
    public String enter() {
      if (state.get() != NurseryState.OPEN) {
        return "REFUSED";
      }
      running.incrementAndGet();
      return "MOVED";
    }

    @Operation
    public String leave() {
      if (running.get() == 0) {
        return "NONE";
      }
      running.decrementAndGet();
      return settle();
    }

    @Operation
    public String close() {
      if (!state.compareAndSet(NurseryState.OPEN, NurseryState.CLOSING)) {
        return "REFUSED";
      }
      return settle();
    }

    private String settle() {
      if (running.get() == 0 && state.get() == NurseryState.CLOSING) {
        state.set(NurseryState.CLOSED);
        return "ENDED";
      }
      return "MOVED";
    }
  }
}
