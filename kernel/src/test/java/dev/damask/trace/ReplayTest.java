package dev.damask.trace;

import static dev.damask.term.Flow.anyOf;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.compile.Compiler;
import dev.damask.event.Choice;
import dev.damask.event.Input;
import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.schedule.Replaying;
import dev.damask.schedule.Seeded;
import dev.damask.schedule.Seeded.Decision;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.StepResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReplayTest {
  private static Term pure(String name) {
    return task(name, context -> context.with("last", name));
  }

  private static final Term BODY =
      par(seq(pure("a"), effect("E"), pure("b")), seq(pure("c"), anyOf(pure("d"), pure("e"))));

  private static final Program PROGRAM = Compiler.compile(workflow("w", BODY));

  private static Recording record(dev.damask.event.Scheduler scheduler) {
    Recorder recorder =
        new Recorder(PROGRAM, scheduler, TraceLevel.FULL, Context.of("k", 1), 1_000);
    recorder.apply(new Input.Advance(2_000));
    TokenId token = recorder.state().pendingEffects().getFirst().token();
    recorder.apply(new Input.TaskDone(token, Context.of("r", 2)));
    assertThat(recorder.state().isDone()).isTrue();
    return recorder.recording();
  }

  @Test
  void the_same_program_context_and_events_leave_the_same_trace_twice() {
    assertThat(record(InOrder.INSTANCE)).isEqualTo(record(InOrder.INSTANCE));
    assertThat(record(new Seeded(5))).isEqualTo(record(new Seeded(5)));
  }

  /// A recording as it was written before events had times.
  private static Recording inFirstFormat(Recording recording) {
    List<TraceEvent> events =
        recording.events().stream()
            .filter(event -> event.kind().isOfFirstFormat())
            .map(event -> event.at(TraceEvent.NO_TIME))
            .toList();
    return new Recording(
        recording.program(),
        recording.context(),
        recording.clockMillis(),
        recording.state(),
        recording.inOrder(),
        recording.level(),
        recording.inputs(),
        recording.choices(),
        events);
  }

  @Test
  void a_recording_of_the_first_format_is_compared_without_what_it_could_not_hold() {
    Recording recording = inFirstFormat(record(InOrder.INSTANCE));
    List<TraceEvent> less = recording.events().subList(0, recording.events().size() - 1);

    assertThat(Replay.replay(PROGRAM, recording))
        .isEqualTo(new Replay.Result.Same(recording.events().size()));
    assertThat(TraceDiff.first(less, recording.events())).isPresent();
  }

  @Test
  void the_time_of_every_event_is_the_clock_of_the_case() {
    assertThat(record(InOrder.INSTANCE).events())
        .extracting(TraceEvent::atMillis)
        .containsOnly(1_000L, 2_000L)
        .isSorted();
  }

  @Test
  void a_log_keeps_the_newest_events() {
    List<TraceEvent> events = record(InOrder.INSTANCE).events();
    TraceLog log = new TraceLog(TraceLevel.FULL, 3);

    events.forEach(log::accept);

    assertThat(log.events()).isEqualTo(events.subList(events.size() - 3, events.size()));
  }

  @Test
  void every_random_run_replays_exactly() {
    for (long seed = 0; seed < 200; seed++) {
      Recording recording = record(new Seeded(seed));

      assertThat(Replay.replay(PROGRAM, recording))
          .as("seed %s", seed)
          .isEqualTo(new Replay.Result.Same(recording.events().size()));
    }
  }

  @Test
  void different_seeds_take_different_ways() {
    assertThat(record(new Seeded(1)).events()).isNotEqualTo(record(new Seeded(2)).events());
  }

  @Test
  void a_recording_of_another_program_is_refused_with_both_hashes() {
    Program other = Compiler.compile(workflow("v", effect("A")));
    Recording recording = record(InOrder.INSTANCE);

    assertThat(Replay.replay(other, recording))
        .isEqualTo(
            new Replay.Result.Diverged(
                "the recording belongs to program "
                    + PROGRAM.hash()
                    + ", this is "
                    + other.hash()));
  }

  private static Recording with(Recording it, List<Decision> choices, List<TraceEvent> events) {
    return new Recording(
        it.program(),
        it.context(),
        it.clockMillis(),
        it.state(),
        it.inOrder(),
        it.level(),
        it.inputs(),
        choices,
        events);
  }

  @Test
  void an_exhausted_log_is_reported_with_its_position_and_what_was_asked() {
    Recording recording = record(new Seeded(3));
    List<Decision> cut = recording.choices().subList(0, 1);

    String sentence = Replay.replay(PROGRAM, with(recording, cut, recording.events())).toString();

    assertThat(sentence)
        .contains("the log is exhausted at choice 1: expected the end, actual Choice[kind=TOKEN");
  }

  @Test
  void a_choice_from_another_set_is_reported_with_expected_and_actual() {
    Recording recording = record(new Seeded(3));
    List<Decision> changed = new ArrayList<>(recording.choices());
    changed.set(1, new Decision(new Choice(Choice.Kind.TOKEN, List.of(98, 99)), 0));

    String sentence =
        Replay.replay(PROGRAM, with(recording, changed, recording.events())).toString();

    assertThat(sentence)
        .contains("the run diverged at choice 1: expected Choice[kind=TOKEN, options=[98, 99]]")
        .contains(", actual Choice[kind=TOKEN, options=[");
  }

  @Test
  void a_log_longer_than_the_run_is_reported() {
    Recording recording = record(new Seeded(3));
    List<Decision> longer = new ArrayList<>(recording.choices());
    longer.add(longer.getFirst());

    String sentence =
        Replay.replay(PROGRAM, with(recording, longer, recording.events())).toString();

    assertThat(sentence)
        .contains("the run ended at choice " + recording.choices().size() + ": expected Choice[");
  }

  @Test
  void the_first_event_that_differs_is_reported() {
    Recording recording = record(InOrder.INSTANCE);
    List<TraceEvent> cut = recording.events().subList(0, recording.events().size() - 1);

    String sentence = Replay.replay(PROGRAM, with(recording, List.of(), cut)).toString();

    assertThat(sentence).contains("event " + cut.size() + ": expected the end, actual TraceEvent[");
  }

  @Test
  void a_decision_takes_an_option_that_exists() {
    Choice choice = new Choice(Choice.Kind.BRANCH, List.of(0, 1));

    assertThatThrownBy(() -> new Decision(choice, 2)).hasMessage("option 2 of 2 does not exist");
  }

  @Test
  void the_deterministic_scheduler_takes_the_first_option() {
    Choice choice = new Choice(Choice.Kind.TOKEN, List.of(4, 9));

    assertThat(InOrder.INSTANCE.choose(choice)).isZero();
    assertThat(InOrder.INSTANCE.isInOrder()).isTrue();
    assertThat(new Replaying(List.of()).isInOrder()).isFalse();
  }

  @Test
  void level_min_shows_forks_joins_effects_and_the_end_and_level_none_nothing() {
    List<String> rules =
        new Recorder(PROGRAM, InOrder.INSTANCE, TraceLevel.MIN, Context.empty(), 0)
            .recording().events().stream().map(TraceEvent::rule).toList();

    assertThat(rules).containsExactly("PAR-FORK", "TASK-EFFECT");
    assertThat(
            new Recorder(PROGRAM, InOrder.INSTANCE, TraceLevel.NONE, Context.empty(), 0)
                .recording()
                .events())
        .isEmpty();
  }

  @Test
  void a_printed_trace_has_one_aligned_line_for_each_event_in_any_locale() {
    java.util.Locale before = java.util.Locale.getDefault();
    java.util.Locale.setDefault(java.util.Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      Program program = Compiler.compile(workflow("w", pure("a"), effect("E")));
      Recorder recorder =
          new Recorder(program, InOrder.INSTANCE, TraceLevel.FULL, Context.empty(), 0);

      String printed = TracePrinter.print(program, recorder.recording().events());
      assertThat(printed.lines()).allMatch(line -> line.startsWith("1970-01-01T00:00:00.000Z", 8));
      assertThat(printed.replace("1970-01-01T00:00:00.000Z  ", ""))
          .isEqualTo(
              """
                   1  t2    TASK-EXEC        ran        a            1 -> 3    do[0]
                   1  t2    SEQ-NEXT         step                    3 -> 5    do
                   2  t2    TASK-EFFECT      started    E                      do[1]
                   2  t2    TASK-EFFECT      step                              do[1]
              """);
    } finally {
      java.util.Locale.setDefault(before);
    }
  }

  @Test
  void a_printed_line_stays_one_line_whatever_is_in_it() {
    TraceEvent event =
        new TraceEvent(
            1,
            TraceEvent.NO_TIME,
            TraceEvent.Kind.EVALUATED,
            "SPAWN",
            1,
            -1,
            -1,
            1,
            "A",
            "",
            "1 valid",
            new TraceEvent.Evaluation(
                Context.of("t", "x\u001b[31m\r\n\u009by"), 7, new StepResult.Note("{}", "")));

    assertThat(TracePrinter.line(null, event))
        .endsWith("1 valid cost=7 {t=x\\u001b[31m\\u000d\\u000a\\u009by} {}");
  }
}
