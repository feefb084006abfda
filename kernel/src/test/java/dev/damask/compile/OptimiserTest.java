package dev.damask.compile;

import static dev.damask.term.Flow.breakOut;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.emit;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Flow.xor;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.Input;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.Code;
import dev.damask.program.Listing;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.task.Guard;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Term;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class OptimiserTest {
  private static Term.Task pure(String name) {
    return task(name, context -> context);
  }

  @Test
  void fuses_runs_of_task_functions_and_steps_over_what_changes_nothing() {
    Program program = Compiler.compile(workflow("w", seq(pure("a"), seq(pure("b"), pure("c")))));

    assertThat(Listing.optimised(program))
        .isEqualTo(
            """
            workflow w implicit
               1: TASK_RUN [a, b, c] next 12
              12: DONE
            """);
  }

  @Test
  void does_not_fuse_across_an_effect_a_task_with_undo_or_the_head_of_a_loop() {
    Term.Task undoable = pure("u").undo(pure("back"));
    Term term = seq(pure("a"), effect("E"), pure("b"), undoable, repeat(2, pure("c")));

    String listing = Listing.optimised(Compiler.compile(workflow("w", term)));

    assertThat(listing).doesNotContain("TASK_RUN").contains("TASK_EXEC u undo=");
  }

  @Test
  void no_run_is_longer_than_64_tasks() {
    Term[] parts = new Term[130];
    Arrays.fill(parts, pure("a"));

    Program program = Compiler.compile(workflow("w", parts));

    assertThat(Arrays.stream(program.fast().pools().runs()).map(run -> run.tasks().length))
        .containsExactly(64, 64, 2);
  }

  @Test
  void every_raw_address_still_holds_an_instruction_that_does_the_same() {
    Term term =
        seq(pure("a"), pure("b"), effect("E"), repeat(2, seq(pure("c"), pure("d"))), pure("e"));
    Program program = Compiler.compile(workflow("w", term));
    int[] raw = program.raw().code();
    int[] fast = program.fast().code();

    assertThat(fast).hasSameSizeAs(raw);
    for (int at = 0; at < raw.length; at += Code.length(raw[at])) {
      if (fast[at] == Code.TASK_RUN) {
        int task = program.fast().pools().runs()[fast[at + 1]].tasks()[0];
        assertThat(raw[at]).isEqualTo(Code.TASK_EXEC);
        assertThat(task).isEqualTo(raw[at + 1]);
      } else {
        assertThat(fast[at]).as("address %s", at).isEqualTo(raw[at]);
      }
    }
  }

  private static Guard guard(String text, boolean value) {
    return Guard.named(text, context -> value);
  }

  @Test
  void folds_constant_guards_and_leads_nowhere_that_cannot_be_reached() {
    Term term =
        seq(
            xor(
                when(guard("false", false), seq(pure("dead"), pure("code"))),
                when(guard("x", true), pure("a")),
                when(guard("true", true), pure("b")),
                otherwise(pure("never"))),
            pure("c"));
    Program program = Compiler.compile(workflow("w", term));

    assertThat(Listing.raw(program)).contains("dead", "code", "never", "[false -> 3, x -> 12");
    assertThat(Listing.optimised(program))
        .isEqualTo(
            """
            workflow w implicit
               1: XOR_CHOOSE [x -> 12, else -> 16]
              12: TASK_RUN [a, c] next 26
              16: TASK_RUN [b, c] next 26
              26: DONE
            """);
    assertThat(program.fast().pools().runs()).hasSize(2); // dead code is not fused
  }

  /// A workflow in which constant guards stand everywhere.
  private static Term random(SplittableRandom random, int depth) {
    if (depth == 0) {
      String name = "t" + random.nextInt(100);
      String key = "k" + random.nextInt(2);
      return random.nextInt(4) == 0 ? effect(name) : task(name, context -> context.with(key, name));
    }
    return switch (random.nextInt(9)) {
      case 5 -> milestone(random, depth);
      case 6 -> scope("R", seq(random(random, depth - 1), maybeBreak(random, "R")));
      case 7 -> open(random, depth);
      case 8 ->
          instances(
              "m",
              InstancePolicy.fixed(1 + random.nextInt(2)),
              seq(random(random, depth - 1), maybeBreak(random, "m")));
      case 0 -> seq(random(random, depth - 1), random(random, depth - 1));
      case 1 -> par(random(random, depth - 1), random(random, depth - 1));
      case 2 -> repeat(random.nextInt(3), random(random, depth - 1));
      case 3 ->
          xor(
              when(any(random), random(random, depth - 1)),
              when(any(random), random(random, depth - 1)),
              otherwise(random(random, depth - 1)));
      default ->
          join(
              JoinPolicy.syncMerge(),
              when(any(random), random(random, depth - 1)),
              when(guard("true", true), random(random, depth - 1)));
    };
  }

  /// A break under a guard, followed by a task that it skips.
  private static Term maybeBreak(SplittableRandom random, String scope) {
    return xor(when(any(random), seq(breakOut(scope), pure("behind"))), otherwise(pure("beside")));
  }

  /// A milestone with somebody beside it who tests it.
  private static Term milestone(SplittableRandom random, int depth) {
    return par(
        Flow.milestone("q", random(random, depth - 1)),
        Flow.during("q", random(random, depth - 1), pure("late")));
  }

  /// An open set of instances that the branch beside it adds to and closes.
  private static Term open(SplittableRandom random, int depth) {
    InstancePolicy policy = InstancePolicy.fixed(random.nextInt(2));
    return par(
        instances(
            "o",
            random.nextBoolean() ? policy.opened() : policy.openUntilClosed(),
            random(random, depth - 1)),
        seq(emit("o.add"), random(random, depth - 1), emit("o.close")));
  }

  private static Guard any(SplittableRandom random) {
    return switch (random.nextInt(3)) {
      case 0 -> guard("false", false);
      case 1 -> guard("true", true);
      default -> Guard.named("has k0", context -> context.has("k0"));
    };
  }

  @Test
  void both_images_take_the_same_steps_and_leave_the_same_states() {
    for (long seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Program program = Compiler.compile(workflow("w", random(random, 4)));

      assertThat(told(program, false)).as("seed %s", seed).isEqualTo(told(program, true));
    }
  }

  /// Every event but administrative ones, and the bytes of the state wherever the case waits.
  private static List<String> told(Program program, boolean raw) {
    List<String> told = new ArrayList<>();
    Tracer tracer =
        event -> {
          if (!Code.isAdministrative(event.rule())) {
            told.add(
                "%d %s %s %d %d %d %s"
                    .formatted(
                        event.step(),
                        event.kind(),
                        event.rule(),
                        event.token(),
                        event.isReduction() ? event.before() : 0, // else perhaps administrative
                        event.scope(),
                        event.subject()));
          }
        };
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), raw, tracer));
    ExecState state = machine.start(Context.empty(), 0);
    machine.run(state, Integer.MAX_VALUE);
    for (int i = 0; i < 50 && !state.isDone(); i++) {
      told.add(Arrays.toString(StateCodec.encode(state)));
      var pending = state.pendingEffects();
      if (pending.isEmpty()) {
        break; // deadlocked
      }
      machine.apply(state, new Input.TaskDone(pending.getFirst().token(), Context.of("k1", i)));
      machine.run(state, Integer.MAX_VALUE);
    }
    told.add(state.status() + " " + state.result());
    return told;
  }
}
