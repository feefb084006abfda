package dev.damask.testkit;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Schedule.cron;
import static dev.damask.term.Schedule.every;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cases.EngineOptions;
import dev.damask.ops.ScheduleView;
import dev.damask.store.CaseStatus;
import dev.damask.term.Schedule;
import dev.damask.term.Schedule.CatchUp;
import dev.damask.term.Schedule.Overlap;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Schedules in virtual time: each policy over both clock changes of two zones, outages, crashes.
final class ScheduleTest {
  private static final Instant BEGIN = Instant.ofEpochMilli(1_700_000_000_000L);
  private static final WorkflowDefinition WAITING = workflow("waiting", defer(on("go", skip())));
  private static final WorkflowDefinition QUICK = workflow("quick", effect("work"));
  private static final Duration HOUR = Duration.ofHours(1);

  /// A daily schedule around a clock change.
  ///
  /// @param times the day before the change, the day of the change, the day after it
  record Change(String zone, String cron, List<String> times) {
    Schedule schedule() {
      return Schedule.cron(cron, zone);
    }

    Instant time(int day) {
      return Instant.parse(times.get(day));
    }

    List<String> ids(int... days) {
      return java.util.Arrays.stream(days)
          .mapToObj(day -> "s:" + times.get(day).replace(":", ""))
          .toList();
    }
  }

  static Stream<Change> changes() {
    return Stream.of(
        new Change(
            "Europe/Berlin",
            "30 2 * * *",
            List.of("2024-03-30T01:30:00Z", "2024-03-31T01:00:00Z", "2024-04-01T00:30:00Z")),
        new Change(
            "Europe/Berlin",
            "30 2 * * *",
            List.of("2024-10-26T00:30:00Z", "2024-10-27T00:30:00Z", "2024-10-28T01:30:00Z")),
        new Change(
            "America/Santiago",
            "0 0 * * *",
            List.of("2024-09-07T04:00:00Z", "2024-09-08T04:00:00Z", "2024-09-09T03:00:00Z")),
        new Change(
            "America/Santiago",
            "30 23 * * *",
            List.of("2024-04-06T02:30:00Z", "2024-04-07T02:30:00Z", "2024-04-08T03:30:00Z")));
  }

  private static void until(TestEngine test, Instant time) {
    test.advance(Duration.between(BEGIN.plus(test.elapsed()), time));
  }

  /// An engine shortly before the first time of a change.
  private static TestEngine before(Change change) {
    TestEngine test = TestEngine.open().when("work", Answer.of("done", true));
    until(test, change.time(0).minus(HOUR));
    return test;
  }

  private static List<String> started(TestEngine test) {
    return test.store().ids("s:");
  }

  @ParameterizedTest
  @MethodSource("changes")
  void skip_starts_nothing_while_a_case_runs(Change change) {
    TestEngine test = before(change);
    test.schedule("s", change.schedule(), WAITING, Context.empty());
    until(test, change.time(2).plus(HOUR));

    assertThat(started(test)).isEqualTo(change.ids(0));
    assertThat(test.schedules().get("s").orElseThrow().skipped()).isEqualTo(2);
  }

  @ParameterizedTest
  @MethodSource("changes")
  void queue_starts_one_case_when_the_running_one_has_ended(Change change) {
    TestEngine test = before(change);
    test.schedule("s", change.schedule().overlap(Overlap.QUEUE), WAITING, Context.empty());
    until(test, change.time(2).plus(HOUR));
    assertThat(started(test)).isEqualTo(change.ids(0));
    assertThat(test.schedules().get("s").orElseThrow().queued()).contains(change.time(1));

    test.crash();
    test.find(change.ids(0).getFirst(), WAITING).signal("go");

    assertThat(started(test)).isEqualTo(change.ids(0, 1));
    assertThat(test.schedules().get("s").orElseThrow().queued()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("changes")
  void allow_starts_a_case_each_time(Change change) {
    TestEngine test = before(change);
    test.schedule("s", change.schedule().overlap(Overlap.ALLOW), WAITING, Context.empty());
    until(test, change.time(2).plus(HOUR));

    assertThat(started(test)).isEqualTo(change.ids(0, 1, 2));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void replace_cancels_the_running_case(Change change) {
    TestEngine test = before(change);
    test.schedule("s", change.schedule().overlap(Overlap.REPLACE), WAITING, Context.empty());
    until(test, change.time(2).plus(HOUR));

    assertThat(started(test)).isEqualTo(change.ids(0, 1, 2));
    assertThat(
            change.ids(0, 1, 2).stream().map(id -> test.store().record(id).orElseThrow().status()))
        .containsExactly(CaseStatus.CANCELLED, CaseStatus.CANCELLED, CaseStatus.WAITING);
  }

  @ParameterizedTest
  @MethodSource("changes")
  void catch_up_none_drops_what_was_missed(Change change) {
    TestEngine test = missed(change, CatchUp.none());

    assertThat(started(test)).isEmpty();
    assertThat(test.schedules().get("s").orElseThrow().due().orElseThrow()).isAfter(change.time(2));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void catch_up_last_starts_the_last_one_that_was_missed(Change change) {
    assertThat(started(missed(change, CatchUp.last()))).isEqualTo(change.ids(2));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void catch_up_within_starts_all_that_are_not_too_old(Change change) {
    assertThat(started(missed(change, CatchUp.within(Duration.ofHours(30)))))
        .isEqualTo(change.ids(1, 2));
    assertThat(started(missed(change, CatchUp.within(Duration.ofDays(7)))))
        .isEqualTo(change.ids(0, 1, 2));
  }

  /// An outage that begins before the day of the change and ends an hour after the day after it.
  private static TestEngine missed(Change change, CatchUp catchUp) {
    TestEngine test = before(change);
    Schedule schedule = change.schedule().catchUp(catchUp).overlap(Overlap.ALLOW);
    test.schedule("s", schedule, QUICK, Context.empty());
    return test.outage(Duration.between(change.time(0).minus(HOUR), change.time(2).plus(HOUR)));
  }

  @Test
  void a_clock_that_is_set_back_starts_nothing_again() {
    TestEngine test = TestEngine.open().when("work", Answer.of("done", true));
    test.schedule("s", every(HOUR), QUICK, Context.empty());
    test.advance(Duration.ofMinutes(200));
    List<String> before = started(test);

    test.setBack(Duration.ofHours(3));
    test.advance(Duration.ofHours(2));
    assertThat(started(test)).isEqualTo(before).hasSize(3);
    test.advance(Duration.ofHours(2));
    assertThat(started(test)).hasSize(4);
  }

  @Test
  void every_time_starts_one_case_whenever_the_process_dies() {
    CrashTest.Report report =
        CrashTest.atEveryPairOfCommits(test -> {
          test.when("work", Answer.of("done", true));
          test.schedule("s", every(HOUR), QUICK, Context.of("n", 1));
          test.advance(Duration.ofMinutes(150));
          assertThat(started(test)).hasSize(2);
          started(test).forEach(id -> CaseAssert.assertThat(test.find(id, QUICK)).hasCompleted());
        });

    assertThat(report.crashes()).isGreaterThan(report.commits());
  }

  @Test
  void a_queued_start_happens_once_whenever_the_process_dies() {
    CrashTest.atEveryCommit(test -> {
      test.schedule("s", every(HOUR).overlap(Overlap.QUEUE), WAITING, Context.empty());
      test.advance(Duration.ofMinutes(150));
      test.find(started(test).getFirst(), WAITING).signal("go");
      assertThat(started(test)).hasSize(2);
    });
  }

  @Test
  void the_same_definition_changes_nothing_and_another_one_counts_from_now() {
    TestEngine test = TestEngine.open().when("work", Answer.of("done", true));
    test.schedule("s", every(HOUR), QUICK, Context.empty());
    test.advance(Duration.ofMinutes(90));
    ScheduleView before = test.schedules().get("s").orElseThrow();

    test.schedule("s", every(HOUR), QUICK, Context.empty());
    assertThat(test.schedules().get("s")).contains(before);

    test.schedule("s", every(Duration.ofHours(2)), QUICK, Context.empty());
    assertThat(test.schedules().get("s").orElseThrow().due())
        .contains(BEGIN.plus(Duration.ofMinutes(90 + 120)));
    assertThat(test.schedules().get("s").orElseThrow().lastCase()).isEqualTo(before.lastCase());
  }

  @Test
  void a_paused_schedule_starts_nothing_and_what_passes_is_not_missed() {
    TestEngine test = TestEngine.open().when("work", Answer.of("done", true));
    test.schedule("s", every(HOUR).catchUp(CatchUp.within(HOUR)), QUICK, Context.empty());
    test.schedules().pause("s");
    test.advance(Duration.ofHours(5));
    assertThat(started(test)).isEmpty();

    test.schedules().resume("s");
    test.advance(Duration.ofMinutes(1));
    assertThat(started(test)).isEmpty();
    test.advance(HOUR);
    assertThat(started(test)).hasSize(1);
  }

  @Test
  void a_schedule_is_triggered_listed_and_removed() {
    TestEngine test = TestEngine.open().when("work", Answer.of("done", true));
    test.schedule("s", cron("0 2 * * *", "UTC"), QUICK, Context.of("n", 7));
    test.schedules().pause("s");
    String id = test.ask(engine -> engine.schedules().triggerAsync("s"));

    assertThat(id).isEqualTo("s:t1");
    CaseAssert.assertThat(test.find(id, QUICK)).hasCompleted();
    assertThat(test.find(id, QUICK).view().context().get("n")).isEqualTo(7L);
    assertThat(test.schedules().list()).extracting(ScheduleView::name).containsExactly("s");
    test.schedules().remove("s");
    assertThat(test.schedules().list()).isEmpty();
    test.advance(Duration.ofDays(3));
    assertThat(started(test)).containsExactly("s:t1");
    assertThatThrownBy(() -> test.schedules().pause("s")).hasMessage("there is no schedule s");
  }

  @Test
  void a_schedule_whose_workflow_is_unknown_waits_for_it() {
    dev.damask.store.MemoryStore store = new dev.damask.store.MemoryStore();
    try (var engine = dev.damask.cases.Engine.open(EngineOptions.defaults(), store)) {
      engine.schedules().put("s", every(Duration.ofSeconds(1)), QUICK, Context.empty());
    }
    try (var engine = dev.damask.cases.Engine.open(EngineOptions.defaults(), store)) {
      engine.schedules().turn();
      assertThat(engine.schedules().get("s").orElseThrow().lastCase()).isEmpty();
    }
  }

  @Test
  void a_name_that_is_no_part_of_a_case_id_is_refused() {
    TestEngine test = TestEngine.open();
    assertThatThrownBy(() -> test.schedule("a b", every(HOUR), QUICK, Context.empty()))
        .hasMessageContaining("a schedule's name has from 1 to 64 letters");
    assertThatThrownBy(() -> every(Duration.ofMillis(10)))
        .hasMessageContaining("an interval must be at least PT1S");
  }
}
