package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.state.Invariant;
import dev.damask.value.Context;
import dev.damask.value.Decoder.DamagedBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// States that somebody made up, with a right checksum (S22): the reader refuses them, or what it
/// reads can be run like any other, or the machine stops this one case.
final class ForgedStateTest {
  private static final int FORGERIES = Integer.getInteger("damask.forgeries", 20_000);
  private static final long FIRST = Long.getLong("damask.seed", 0);

  @Test
  void what_the_reader_accepts_runs_without_a_surprise() {
    List<Play> plays = plays();
    TreeMap<String, Integer> ends = new TreeMap<>();
    for (long seed = FIRST; seed < FIRST + FORGERIES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Play play = plays.get((int) (seed % plays.size()));
      byte[] forged = StateCodecTest.forge(random, StateCodec.encode(play.state));
      try {
        ExecState state = StateCodec.decode(play.machine, forged);
        runOn(play.machine, state, random);
        ends.merge("ran", 1, Integer::sum);
      } catch (DamagedBytes e) {
        ends.merge("refused", 1, Integer::sum);
      } catch (Invariant.Broken e) {
        ends.merge("stopped", 1, Integer::sum);
      } catch (RuntimeException | StackOverflowError e) {
        throw new AssertionError("seed " + seed + ": " + e, e);
      }
    }

    assertThat(ends.keySet()).containsExactly("ran", "refused", "stopped");
    assertThat(ends.get("stopped")).isLessThan(FORGERIES / 100);
  }

  private static List<Play> plays() {
    List<Play> plays = new ArrayList<>();
    for (long seed = FIRST; seed < FIRST + 300; seed++) {
      Play play =
          new Play(
              Compiler.compile(new RandomTerms(seed, false).workflow()),
              Play.Style.PLAIN,
              Context.empty());
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = random.nextInt(6); i > 0 && !play.state.isDone(); i--) {
        play.apply(MigrationPropertyTest.input(random, play.state));
      }
      if (!play.state.isDone()) {
        plays.add(play);
      }
    }
    return plays;
  }

  private static void runOn(Machine machine, ExecState state, SplittableRandom random) {
    machine.run(state, 1_000);
    for (int i = 0; i < 6 && !state.isDone(); i++) {
      machine.apply(state, MigrationPropertyTest.input(random, state));
      machine.run(state, 1_000);
      machine.outcome(state);
    }
    StateCodec.encode(state);
  }
}
