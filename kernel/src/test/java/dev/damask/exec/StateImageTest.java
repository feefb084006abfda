package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.term.Flow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.Decoder.DamagedBytes;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The compact form of waiting cases: a log that was read from an image continues as the one before
/// would have.
@Timeout(300)
final class StateImageTest {
  private static final int SEEDS = Integer.getInteger("damask.seeds", 50);
  private static final long FIRST = Long.getLong("damask.seed", 0);
  private static final int EVENTS = 14;

  @Test
  void a_log_that_is_read_from_its_image_after_every_record_writes_records_that_fit() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      List<WorkflowDefinition> workflows =
          List.of(
              new RandomTerms(seed, seed % 2 == 0).workflow(), new RandomWaits(seed).workflow());
      for (WorkflowDefinition workflow : workflows) {
        SplittableRandom random = new SplittableRandom(seed);
        Program program = Compiler.compile(workflow);
        int images = 0;
        for (int placement : new int[] {0, -1, 0x5555, random.nextInt()}) {
          images += frozen(seed, program, placement, 1);
          frozen(seed, program, placement, 3);
        }
        assertThat(images).as("seed %d", seed).isEqualTo(4 * EVENTS);
      }
    }
  }

  /// @param placement the bits say which records are bases
  /// @param one in so many records is followed by an image
  private static int frozen(long seed, Program program, int placement, int one) {
    int images = 0;
    try {
      SplittableRandom random = new SplittableRandom(seed);
      Play play = new Play(program, Play.Style.PLAIN, Context.empty());
      LoggedState stored = new LoggedState(play.machine, play.state);
      for (int i = 0; i < EVENTS; i++) {
        stored.store((placement >>> i & 1) == 1);
        if (i % one == 0) {
          thaw(play, stored);
          images++;
        }
        StateLogTest.event(random, play);
      }
      stored.store(false);
      byte[] whole = stored.log().base().bytes();
      assertThat(stored.read().base().bytes()).as("the canonical form").isEqualTo(whole);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed + ", bases " + placement + ": " + e, e);
    }
    return images;
  }

  private static void thaw(Play play, LoggedState stored) {
    StateLog before = stored.log();
    byte[] state = StateCodec.encode(before.state());
    StateLog after =
        StateImage.read(play.machine, LoggedState.KEY, Objects.requireNonNull(image(before)));
    assertThat(StateCodec.encode(after.state())).isEqualTo(state);
    assertThat(after.sum()).isEqualTo(before.sum());
    assertThat(after.needsBase()).isEqualTo(before.needsBase());
    assertThat(after.size()).isEqualTo(before.size());
    assertThat(after.values().stored()).isEqualTo(before.values().stored());
    stored.restart(after);
    play.state = after.state();
  }

  /// As the engine does, after it has taken what the state has to tell.
  private static byte @Nullable [] image(StateLog log) {
    log.state().takeStarted();
    log.state().takeWithdrawn();
    log.state().takeCancelled();
    return StateImage.of(log);
  }

  @Test
  void a_state_that_was_changed_since_its_last_record_has_no_image() {
    Play play = Play.start(Flow.effect("A"), Flow.effect("B"));
    StateLog log = StateLog.of(play.state, LoggedState.KEY);
    assertThat(image(log)).as("nothing is stored").isNull();
    log.base();
    assertThat(image(log)).isNotNull();

    play.done("A", Context.of("n", 1));

    assertThat(StateImage.of(log)).isNull();
    log.delta();
    assertThat(StateImage.of(log)).as("B is not taken").isNull();
    assertThat(image(log)).isNotNull();
  }

  @Test
  void the_image_of_a_small_waiting_case_is_small_however_many_records_it_has() {
    Play play = Play.start(Flow.repeat(1_000, Flow.effect("A")), Flow.effect("B"));
    StateLog log = StateLog.of(play.state, LoggedState.KEY);
    log.base();
    int deltas = 0;
    for (int i = 0; i < 60; i++) {
      play.done("A", Context.of("n", i, "customer", "c-17").with("total", 99));
      deltas += log.next().isBase() ? 0 : 1;
      assertThat(Objects.requireNonNull(image(log)).length).isLessThan(160);
    }
    assertThat(deltas).isGreaterThan(30);
  }

  @Test
  void a_damaged_image_is_refused_or_gives_the_same_state() {
    Play play = Play.start(Flow.par(Flow.effect("A"), Flow.effect("B")), Flow.effect("C"));
    StateLog log = StateLog.of(play.state, LoggedState.KEY);
    log.base();
    byte[] image = Objects.requireNonNull(image(log));
    byte[] expected = StateCodec.encode(play.state);
    int refused = 0;
    for (int bit = 0; bit < 8 * image.length; bit++) {
      byte[] damaged = Arrays.copyOf(image, image.length);
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      try {
        StateLog read = StateImage.read(play.machine, LoggedState.KEY, damaged);
        assertThat(StateCodec.encode(read.state())).isEqualTo(expected);
      } catch (RuntimeException | OutOfMemoryError e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(7 * image.length);
    StateLog.CaseKey other = new StateLog.CaseKey("another", 1_000);
    assertThatThrownBy(() -> StateImage.read(play.machine, other, image))
        .isInstanceOf(DamagedBytes.class);
  }
}
