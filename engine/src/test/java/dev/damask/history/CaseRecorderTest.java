package dev.damask.history;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.anyOf;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseOptions;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.clock.VirtualClock;
import dev.damask.compile.Compiler;
import dev.damask.event.Choice;
import dev.damask.event.Scheduler;
import dev.damask.program.Program;
import dev.damask.schedule.Replaying;
import dev.damask.schedule.Seeded;
import dev.damask.store.MemoryStore;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.Recording;
import dev.damask.trace.Replay;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Cases of an engine are recorded with any scheduler, from their start or from the store, and the
/// recordings replay.
final class CaseRecorderTest {
  private static final WorkflowDefinition WORKFLOW =
      workflow(
          "w",
          par(
              seq(pure("a"), pure("b"), effect("A"), pure("c"), pure("d")),
              seq(pure("e"), anyOf(pure("f"), pure("g")), effect("B"), pure("h")),
              defer(after(Duration.ofHours(2), pure("late")))));
  private static final Program PROGRAM = Compiler.compile(WORKFLOW);

  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000);

  private static Term pure(String name) {
    return task(name, context -> context.with("last", name));
  }

  /// Always the last option.
  private static final class Backwards implements Scheduler {
    @Override
    public boolean isInOrder() {
      return false;
    }

    @Override
    public int choose(Choice choice) {
      return choice.options().size() - 1;
    }
  }

  private EngineOptions options(CaseRecorder recorder) {
    return EngineOptions.defaults()
        .withShards(1)
        .withTrace(TraceLevel.FULL)
        .withClock(clock)
        .withWatch(recorder);
  }

  private Recording run(EngineOptions options, CaseRecorder recorder, CaseOptions own) {
    try (Engine engine = Engine.open(options, store, WORKFLOW)) {
      engine.start(WORKFLOW, "one", Context.of("k", 1), own);
      finish(engine);
    }
    return recorder.recording("one", PROGRAM.hash(), TraceLevel.FULL).orElseThrow();
  }

  private void finish(Engine engine) {
    engine.completeTask("one", "B", Map.of("r", 2));
    engine.completeTask("one", "A", Map.of());
    clock.advance(Duration.ofHours(2).toMillis());
    assertThat(engine.status("one").status().isEnded()).isTrue();
  }

  @Test
  void a_case_with_a_seed_replays_with_its_choices() {
    CaseRecorder recorder = new CaseRecorder();

    Recording recording = run(options(recorder), recorder, CaseOptions.DEFAULT.withSeed(42));

    assertThat(recording.inOrder()).isFalse();
    assertThat(recording.choices()).isNotEmpty();
    assertThat(Replay.replay(PROGRAM, recording))
        .isEqualTo(new Replay.Result.Same(recording.events().size()));
  }

  @Test
  void any_scheduler_chooses_for_a_case_and_its_choices_are_recorded() {
    CaseRecorder recorder = new CaseRecorder();
    CaseRecorder again = new CaseRecorder();

    Recording backwards =
        run(
            options(recorder).withSchedulers(_ -> Optional.of(new Backwards())),
            recorder,
            CaseOptions.DEFAULT);
    Replaying replaying = new Replaying(backwards.choices());
    var repeated = new CaseRecorderTest();
    Recording second =
        repeated.run(
            repeated.options(again).withSchedulers(_ -> Optional.of(replaying)),
            again,
            CaseOptions.DEFAULT);

    assertThat(backwards.choices())
        .isNotEmpty()
        .allMatch(each -> each.taken() == each.choice().options().size() - 1);
    assertThat(second).isEqualTo(backwards);
    assertThat(Replay.replay(PROGRAM, second)).isInstanceOf(Replay.Result.Same.class);
  }

  @Test
  void a_case_that_was_read_from_the_store_is_recorded_from_there() {
    for (CaseOptions own :
        new CaseOptions[] {CaseOptions.DEFAULT, CaseOptions.DEFAULT.withSeed(7)}) {
      MemoryStore kept = new MemoryStore();
      try (Engine engine = Engine.open(options(new CaseRecorder()), kept, WORKFLOW)) {
        engine.start(WORKFLOW, "one", Context.of("k", 1), own);
      }
      CaseRecorder recorder = new CaseRecorder();
      try (Engine engine = Engine.open(options(recorder), kept.reopened(), WORKFLOW)) {
        finish(engine);
      }

      Recording recording =
          recorder.recording("one", PROGRAM.hash(), TraceLevel.NONE).orElseThrow();

      assertThat(recording.isResumed()).isTrue();
      assertThat(recording.level()).isEqualTo(TraceLevel.FULL);
      assertThat(recording.events()).isNotEmpty();
      assertThat(Replay.replay(PROGRAM, recording))
          .isEqualTo(new Replay.Result.Same(recording.events().size()));
    }
  }

  @Test
  void what_a_broken_move_chose_is_not_in_the_recording() {
    CaseRecorder recorder = new CaseRecorder();
    Seeded seeded = new Seeded(3);
    recorder.started("x", Context.empty(), 0);
    Choice choice = new Choice(Choice.Kind.TOKEN, List.of(1, 2));
    recorder.chose("x", choice, seeded.choose(choice));
    recorder.committed("x", 1);
    recorder.chose("x", choice, 1);
    recorder.dropped("x");

    Recording recording = recorder.recording("x", PROGRAM.hash(), TraceLevel.MIN).orElseThrow();

    assertThat(recording.choices()).isEqualTo(seeded.log());
  }
}
