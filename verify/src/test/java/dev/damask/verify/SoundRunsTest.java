package dev.damask.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.compile.Compiler;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Status;
import dev.damask.exec.ExecState;
import dev.damask.exec.Exploration;
import dev.damask.exec.Machine;
import dev.damask.program.Listing;
import dev.damask.program.Program;
import dev.damask.schedule.Seeded;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Plays random runs of workflows that are called sound, with random data, times and orders, on the
/// machine alone: none may end in a way that the verdict does not name.
final class SoundRunsTest {
  private static final int COUNT = Integer.getInteger("damask.seeds", 2_000);
  private static final long FIRST = Long.getLong("damask.seed", 1);
  private static final int RUNS = 12;
  private static final int EVENTS = 60;

  @Test
  void no_run_of_a_sound_workflow_ends_otherwise_than_the_verdict_says() {
    int sound = 0;
    int ended = 0;
    for (long seed = FIRST; seed < FIRST + COUNT; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      WorkflowDefinition workflow =
          new RandomTerms(seed, seed % 5 == 0, random::nextBoolean).workflow(2 + (int) (seed % 4));
      if (TermCheck.check(workflow).stream().anyMatch(Diagnostic::isError)) {
        continue;
      }
      Program program = Compiler.compile(workflow);
      Verdict verdict = Verifier.check(program, Options.DEFAULT.withStates(3_000).withTokens(10));
      if (!verdict.isProved()) {
        continue;
      }
      sound++;
      Set<Status> allowed = allowed(verdict);
      for (int run = 0; run < RUNS; run++) {
        List<String> told = new ArrayList<>();
        Status status = play(program, random, told);
        assertThat(allowed)
            .as(() -> "%s%n%s%n%s".formatted(verdict, Listing.raw(program), told))
            .contains(status);
        ended += status.isEnded() ? 1 : 0;
      }
    }

    System.out.println(sound + " of " + COUNT + " workflows are sound, " + ended + " runs ended");
    assertThat(sound).isGreaterThan(COUNT / 5);
    assertThat(ended).isGreaterThan(sound * RUNS / 2);
  }

  /// How a run may end or where it may be when it is left.
  private static Set<Status> allowed(Verdict verdict) {
    Set<Status> allowed = new HashSet<>(Set.of(Status.COMPLETED, Status.WAITING, Status.RUNNING));
    verdict.endings().intended().forEach(ending -> allowed.add(ending.status()));
    verdict.endings().warnings().forEach(warning -> allowed.add(warning.ending().status()));
    return allowed;
  }

  private static Status play(Program program, SplittableRandom random, List<String> told) {
    Machine machine =
        new Machine(
            program,
            new Machine.Options(
                new Seeded(random.nextLong()), program.limits(), random.nextBoolean(), null));
    ExecState state = machine.start(Context.empty(), 0);
    machine.run(state, 300);
    for (int i = 0; i < EVENTS && state.status() == Status.WAITING; i++) {
      List<Input> inputs = inputs(machine, state);
      if (inputs.isEmpty()) {
        break;
      }
      Input input = inputs.get(random.nextInt(inputs.size()));
      told.add(input.toString());
      machine.apply(state, input);
      machine.run(state, 300);
    }
    told.add(state.status() + " " + state.failure() + " " + machine.outcome(state));
    return state.status();
  }

  private static List<Input> inputs(Machine machine, ExecState state) {
    List<Input> inputs = new ArrayList<>();
    for (EffectRequest request : state.pendingEffects()) {
      inputs.add(new Input.TaskDone(request.token(), Context.empty()));
      inputs.add(new Input.TaskDone(request.token(), Context.empty()));
      inputs.add(new Input.TaskFailed(request.token(), "chance"));
    }
    Exploration.wanted(state)
        .forEach(place -> inputs.add(new Input.Signal(place, Context.empty())));
    Exploration.unclosedSets(machine, state)
        .forEach(name -> inputs.add(new Input.CloseInstances(name)));
    OptionalLong due = machine.nextDue(state);
    if (due.isPresent()) {
      inputs.add(new Input.Advance(due.getAsLong()));
      inputs.add(new Input.Advance((state.clock() + due.getAsLong()) / 2));
    }
    return inputs;
  }
}
