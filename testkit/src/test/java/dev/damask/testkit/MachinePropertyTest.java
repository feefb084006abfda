package dev.damask.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.damask.compile.Compiler;
import dev.damask.event.Input;
import dev.damask.event.Scheduler;
import dev.damask.event.Status;
import dev.damask.event.TraceEvent;
import dev.damask.exec.ExecState;
import dev.damask.exec.StateCodec;
import dev.damask.program.Listing;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.schedule.Replaying;
import dev.damask.schedule.Seeded;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TracePrinter;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What must hold for every workflow, tried on many random ones. The machine checks its own
/// invariants after every run, because tests run with assertions on.
final class MachinePropertyTest {
  private static final int WORKFLOWS = 20_000;
  private static final int EVENTS_MAX = 40;
  private static final long SEED = Long.getLong("damask.seed", 4_711);

  /// One random workflow with the events that were played on it, and how it ended.
  private record Run(Program program, List<Input> inputs, MachineCase running, Executions seen) {}

  @Test
  void random_workflows_keep_every_invariant_and_give_every_mutex_back() {
    Map<Status, Integer> ends = new EnumMap<>(Status.class);
    for (int i = 0; i < WORKFLOWS; i++) {
      int[] choices = play(SEED + i);

      ExecState state = checked(choices).running().state();

      ends.merge(state.status(), 1, Integer::sum);
    }

    // A generator that only ever made one kind of run would prove little.
    assertThat(ends.keySet())
        .contains(
            Status.COMPLETED, Status.CANCELLED, Status.FAILED, Status.WAITING, Status.DEADLOCKED);
    assertThat(ends.get(Status.COMPLETED)).isGreaterThan(WORKFLOWS / 5);
  }

  @Test
  void raw_and_optimised_programs_give_the_same_observations_and_the_same_states() {
    for (int i = 0; i < WORKFLOWS / 4; i++) {
      Run run = run(Choices.of(SEED + i), style(InOrder.INSTANCE, false, false, 100));

      Executions seen = new Executions();
      MachineCase raw =
          new MachineCase(
              run.program(), style(InOrder.INSTANCE, true, false, 100), Context.empty(), seen);
      run.inputs().forEach(raw::apply);

      assertThat(seen.take()).as(() -> describe(run)).isEqualTo(run.seen().take());
      assertThat(StateCodec.encode(raw.state()))
          .as(() -> describe(run))
          .isEqualTo(StateCodec.encode(run.running().state()));
    }
  }

  @Test
  void a_state_that_is_written_and_read_at_every_step_behaves_like_one_that_is_not() {
    for (int i = 0; i < WORKFLOWS / 10; i++) {
      Run run = run(Choices.of(SEED + i), style(InOrder.INSTANCE, false, false, 100));

      Executions seen = new Executions();
      MachineCase rewritten =
          new MachineCase(
              run.program(), style(InOrder.INSTANCE, false, true, 1), Context.empty(), seen);
      run.inputs().forEach(rewritten::apply);

      assertThat(seen.take()).as(() -> describe(run)).isEqualTo(run.seen().take());
      assertThat(StateCodec.encode(rewritten.state()))
          .as(() -> describe(run))
          .isEqualTo(StateCodec.encode(run.running().state()));
    }
  }

  @Test
  void a_random_schedule_replays_exactly_from_its_log() {
    for (int i = 0; i < WORKFLOWS / 10; i++) {
      Seeded scheduler = new Seeded(SEED + i);
      Run run = run(Choices.of(SEED + i), style(scheduler, false, false, 100));

      Executions seen = new Executions();
      Replaying replaying = new Replaying(scheduler.log());
      MachineCase again =
          new MachineCase(
              run.program(), style(replaying, false, false, 100), Context.empty(), seen);
      run.inputs().forEach(again::apply);
      replaying.requireEnd();

      assertThat(seen.events()).as(() -> describe(run)).isEqualTo(run.seen().events());
    }
  }

  @Test
  void the_engine_leaves_the_same_trace_as_the_machine() {
    for (int i = 0; i < WORKFLOWS / 20; i++) {
      Choices choices = Choices.of(SEED + i);
      WorkflowDefinition workflow = TermGenerator.workflow(choices);
      boolean isSeeded = i % 2 == 1;
      Seeded scheduler = new Seeded(SEED + i);
      Executions seen = new Executions();
      MachineCase machine =
          new MachineCase(
              Compiler.compile(workflow),
              style(isSeeded ? scheduler : InOrder.INSTANCE, false, false, 100),
              Context.empty(),
              seen);
      Executions onEngine = new Executions();
      EngineStage engine =
          new EngineStage(
              workflow,
              isSeeded ? new Seeded(SEED + i) : InOrder.INSTANCE,
              Context.empty(),
              onEngine);
      for (int n = 0; n < EVENTS_MAX && !machine.state().isDone(); n++) {
        Input input = RandomRun.next(choices, machine.state());

        assertThat(engine.apply(input))
            .as("%s to %s", input, workflow)
            .isEqualTo(machine.apply(input));
      }

      assertThat(withoutDeadlocks(onEngine))
          .as(workflow::toString)
          .isEqualTo(withoutDeadlocks(seen));
    }
  }

  /// The machine traces a deadlock again whenever time passes; the engine does not ask it to.
  private static List<TraceEvent> withoutDeadlocks(Executions seen) {
    return seen.events().stream().filter(event -> event.kind() != TraceEvent.Kind.STUCK).toList();
  }

  /// Plays a seed; a failure is shrunk and printed as choices one can paste into a test.
  private static int[] play(long seed) {
    Choices choices = Choices.of(seed);
    try {
      check(run(choices, style(InOrder.INSTANCE, false, false, 100)));
    } catch (RuntimeException | AssertionError e) {
      int[] simplest = Choices.shrink(choices.taken(), MachinePropertyTest::fails);
      fail("seed %d fails, shrunk to Choices.of(%s)".formatted(seed, Arrays.toString(simplest)), e);
    }
    return choices.taken();
  }

  private static boolean fails(int[] choices) {
    try {
      checked(choices);
      return false;
    } catch (RuntimeException | AssertionError e) {
      return true;
    }
  }

  private static Run checked(int[] choices) {
    Run run = run(Choices.of(choices), style(InOrder.INSTANCE, false, false, 100));
    check(run);
    return run;
  }

  private static Run run(Choices choices, MachineCase.Style style) {
    Program program = Compiler.compile(TermGenerator.workflow(choices));
    Executions seen = new Executions();
    MachineCase running = new MachineCase(program, style, Context.empty(), seen);
    List<Input> inputs = new ArrayList<>();
    while (!running.state().isDone() && inputs.size() < EVENTS_MAX) {
      Input input = RandomRun.next(choices, running.state());
      inputs.add(input);
      running.apply(input);
    }
    return new Run(program, inputs, running, seen);
  }

  private static void check(Run run) {
    ExecState state = run.running().state();
    if (state.isDone()) {
      assertThat(state.tokens()).as(() -> describe(run)).isZero();
      for (String mutex : TermGenerator.MUTEXES) {
        assertThat(state.marking(mutex))
            .as(() -> "mutex " + mutex + "\n" + describe(run))
            .isEqualTo(1);
      }
    }
  }

  private static String describe(Run run) {
    return Listing.raw(run.program())
        + run.inputs()
        + "\n"
        + TracePrinter.print(run.program(), run.seen().events());
  }

  private static MachineCase.Style style(
      Scheduler scheduler, boolean raw, boolean rewritten, int quantum) {
    return new MachineCase.Style(scheduler, raw, rewritten, quantum);
  }
}
