package dev.damask.exec;

import static dev.damask.exec.Play.pure;
import static dev.damask.term.Flow.call;
import static dev.damask.term.Flow.definition;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.term.JoinPolicy;
import dev.damask.value.Context;
import dev.damask.value.Decoder.DamagedBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class StateCodecTest {
  private static final int SIZE_MAX = 90;

  private static Play waiting() {
    Program program =
        Compiler.compile(
            workflow("order", pure("a"), pure("b"), effect("C"), pure("d"), pure("e")));
    Context context = Context.of("id", "A-17", "amount", 250).with("paid", true);
    return new Play(program, Play.Style.PLAIN, context);
  }

  @Test
  void a_case_waiting_in_a_small_workflow_takes_at_most_90_bytes() {
    byte[] bytes = StateCodec.encode(waiting().state);

    assertThat(bytes.length).isLessThanOrEqualTo(SIZE_MAX);
  }

  @Test
  void a_state_of_another_program_is_refused_with_both_hashes() {
    Play here = waiting();
    Play there = Play.start(effect("Z"));
    byte[] bytes = StateCodec.encode(there.state);

    assertThatThrownBy(() -> StateCodec.decode(here.machine, bytes))
        .isInstanceOf(DamagedBytes.class)
        .hasMessage(
            "the state belongs to program "
                + there.program.hash()
                + ", this is order "
                + here.program.hash());
  }

  @Test
  void another_version_of_the_format_is_refused_and_named() {
    Play play = waiting();
    byte[] bytes = StateCodec.encode(play.state);
    bytes[0] = 9;

    assertThatThrownBy(() -> StateCodec.decode(play.machine, bytes))
        .hasMessage("the state has format 9, this version reads formats 2 to 3");
  }

  @Test
  void every_flip_of_one_byte_is_refused() {
    Play play = waiting();
    byte[] bytes = StateCodec.encode(play.state);
    for (int at = 0; at < bytes.length; at++) {
      for (int change = 1; change < 256; change++) {
        byte[] damaged = bytes.clone();
        damaged[at] ^= (byte) change;

        assertThatThrownBy(() -> StateCodec.decode(play.machine, damaged))
            .isInstanceOf(DamagedBytes.class);
      }
    }
  }

  @Test
  void every_truncation_and_any_tail_is_refused() {
    Play play = waiting();
    byte[] bytes = StateCodec.encode(play.state);
    for (int length = 0; length < bytes.length; length++) {
      byte[] part = Arrays.copyOf(bytes, length);

      assertThatThrownBy(() -> StateCodec.decode(play.machine, part))
          .isInstanceOf(DamagedBytes.class);
    }
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> StateCodec.decode(play.machine, longer))
        .isInstanceOf(DamagedBytes.class);
  }

  @Test
  void forged_bytes_with_a_right_checksum_are_refused_or_read_but_never_break_the_reader() {
    List<Play> plays = new ArrayList<>();
    for (long seed = 0; seed < 200; seed++) {
      Play play =
          new Play(
              Compiler.compile(new RandomTerms(seed, false).workflow()),
              Play.Style.PLAIN,
              Context.empty());
      if (!play.state.isDone()) {
        plays.add(play);
      }
    }
    for (int seed = 0; seed < 20_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Play play = plays.get(seed % plays.size());
      byte[] forged = forge(random, StateCodec.encode(play.state));
      try {
        StateCodec.decode(play.machine, forged);
      } catch (DamagedBytes e) {
        assertThat(e.getMessage()).as("seed %s", seed).isNotBlank();
      } catch (RuntimeException | StackOverflowError e) {
        throw new AssertionError("seed " + seed + ": " + e, e);
      }
    }
  }

  /// Otherwise the numbers of a canonical state would not be those of the state it stands for.
  @Test
  void the_canonical_form_of_a_canonical_state_is_itself() {
    int compared = 0;
    for (long seed = 0; seed < 1_000; seed++) {
      Program program = Compiler.compile(new RandomTerms(seed, false).workflow());
      Play play = new Play(program, Play.Style.PLAIN, Context.empty());
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = 0; i < 12 && !play.state.isDone(); i++) {
        byte[] canonical = Exploration.canonical(play.state);

        assertThat(Exploration.canonical(StateCodec.decode(play.machine, canonical)))
            .as("seed %s, event %s", seed, i)
            .isEqualTo(canonical);
        compared++;
        RandomTermsTest.event(random, play);
      }
    }
    assertThat(compared).isGreaterThan(2_000);
  }

  static byte[] forge(SplittableRandom random, byte[] bytes) {
    int end = bytes.length - StateCodec.CHECKSUM_BYTES;
    int from = StateCodec.HEADER_BYTES;
    byte[] forged = bytes.clone();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      int at = random.nextInt(from, end);
      forged[at] =
          (byte) (random.nextBoolean() ? random.nextInt(8) : forged[at] + random.nextInt(-2, 3));
    }
    int sum = StateCodec.checksum(forged, end);
    for (int i = 0; i < 4; i++) {
      forged[end + i] = (byte) (sum >>> (24 - 8 * i));
    }
    return forged;
  }

  @Test
  void equal_states_have_equal_bytes_and_a_copy_shares_nothing() {
    Play play = Play.start(seq(effect("A"), effect("B")));
    byte[] before = StateCodec.encode(play.state);

    ExecState copy = StateCodec.copy(play.machine, play.state);
    play.done("A");

    assertThat(StateCodec.encode(copy)).isEqualTo(before);
    assertThat(StateCodec.encode(play.state)).isNotEqualTo(before);
  }

  /// Once the rounds were shared between the call and the token that had left it.
  @Test
  void a_call_that_drains_inside_a_loop_is_written_the_same_whether_it_was_read_back_or_not() {
    Program program =
        Compiler.compile(
            workflow("w", repeat(3, seq(call("D"), effect("B"))))
                .withDefinitions(
                    definition("D", join(JoinPolicy.partial(1), effect("A"), effect("C")))));
    byte[] expected = null;
    for (Play.Style style : Play.Style.ALL) {
      Play play = new Play(program, style, Context.empty());
      play.done("A");
      play.done("B");
      byte[] bytes = StateCodec.encode(play.state);

      assertThat(play.state.tokens()).isEqualTo(3);
      assertThat(bytes).as("%s", style).isEqualTo(expected == null ? bytes : expected);
      expected = bytes;
    }
  }
}
