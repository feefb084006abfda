package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.schedule.Seeded;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Random workflows under random events: whatever happens, the rules of the machine hold.
final class RandomTermsTest {
  private static final int SEEDS = Integer.getInteger("damask.seeds", 300);
  private static final long FIRST = Long.getLong("damask.seed", 0);
  private static final int EVENTS = 25;

  @Test
  void how_a_case_is_run_cannot_be_seen_from_outside() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      Program program = Compiler.compile(new RandomTerms(seed, false).workflow());
      List<String> expected = null;
      for (Play.Style style : Play.Style.ALL) {
        List<String> told = tell(seed, program, style);
        if (expected == null) {
          expected = told;
        }
        assertThat(told).as("seed %s, %s", seed, style).isEqualTo(expected);
      }
    }
  }

  /// Plays one case to its end and tells everything that was seen.
  private static List<String> tell(long seed, Program program, Play.Style style) {
    try {
      SplittableRandom random = new SplittableRandom(seed);
      Play play = new Play(program, style, Context.empty());
      List<String> told = new ArrayList<>();
      told.add(play.see());
      for (int i = 0; i < EVENTS && !play.state.isDone(); i++) {
        told.add(event(random, play) + " " + play.reply + " " + play.status());
      }
      told.add(play.kill("case"));
      for (int i = 0; i < 100 && !play.state.isDone(); i++) {
        List<EffectRequest> pending = play.state.pendingEffects();
        told.add(
            pending.isEmpty()
                ? play.kill("case") + play.advance(10_000)
                : play.apply(new Input.TaskDone(pending.getFirst().token(), Context.empty())));
      }
      told.add(play.status() + " " + play.result() + " " + play.state.failure());
      requireNothingLeft(play);
      return told;
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      throw new AssertionError("seed " + seed + ", " + style + ": " + e, e);
    }
  }

  static String event(SplittableRandom random, Play play) {
    List<EffectRequest> pending = play.state.pendingEffects();
    int kind = random.nextInt(12);
    int which = random.nextInt(1_000);
    if (kind < 6 && !pending.isEmpty()) {
      TokenId token = pending.get(which % pending.size()).token();
      return kind == 0
          ? play.apply(new Input.TaskFailed(token, "boom"))
          : kind == 1
              ? play.apply(new Input.CancelTask(token))
              : play.apply(
                  new Input.TaskDone(token, Context.of(which % 2 == 0 ? "a" : "c", which)));
    }
    return switch (kind) {
      case 6, 7 -> play.advance(1_000L * (which % 3));
      case 8 -> play.signal(RandomTerms.SIGNALS.get(which % 2));
      case 9 -> play.add(which % 2 == 0 ? "m" : "n");
      case 10 -> play.apply(new Input.Kill(RandomTerms.SCOPES.get(which % 4), which % 3 == 0));
      default -> play.signal("e");
    };
  }

  private static void requireNothingLeft(Play play) {
    assertThat(play.state.isDone()).as("the case ends").isTrue();
    assertThat(play.state.tokens()).isZero();
    assertThat(play.state.root.isEmpty()).as("no open frame").isTrue();
    for (String mutex : RandomTerms.MUTEXES) {
      assertThat(play.onPlace(mutex)).as("mutex %s is back", mutex).isEqualTo(1);
    }
    assertThat(play.state.pendingEffects()).isEmpty();
    assertThat(play.state.nextDue()).isEmpty();
  }

  @Test
  void effects_have_the_same_ids_in_every_interleaving() {
    for (long seed = FIRST; seed < FIRST + SEEDS / 3; seed++) {
      Program program = Compiler.compile(new RandomTerms(seed, true).workflow());
      TreeSet<String> expected = ids(program, new Play.Style(InOrder.INSTANCE, false, false, 100));
      for (int run = 0; run < 6; run++) {
        Seeded scheduler = new Seeded(seed * 31 + run);
        Play.Style style = new Play.Style(scheduler, run % 2 == 0, run % 3 == 0, 1 + run * 7);

        assertThat(ids(program, style)).as("seed %s, run %s", seed, run).isEqualTo(expected);
      }
    }
  }

  private static TreeSet<String> ids(Program program, Play.Style style) {
    TreeSet<String> ids = new TreeSet<>();
    Play play = new Play(program, style, Context.empty());
    while (!play.state.isDone()) {
      List<EffectRequest> pending = new ArrayList<>(play.state.pendingEffects());
      assertThat(pending).as("status %s", play.status()).isNotEmpty();
      pending.sort(Comparator.comparingLong(request -> request.id().lineage()));
      pending.forEach(each -> assertThat(each.id()).isNotEqualTo(new EffectId(0)));
      pending.forEach(each -> ids.add(each.task().name() + " " + each.id() + each.label()));
      play.apply(new Input.TaskDone(pending.getFirst().token(), Context.empty()));
    }
    return ids;
  }
}
