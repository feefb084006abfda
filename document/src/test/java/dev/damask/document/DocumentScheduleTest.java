package dev.damask.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.term.Schedule;
import dev.damask.term.Schedule.CatchUp;
import dev.damask.term.Schedule.Overlap;
import dev.damask.value.Context;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Schedules in documents.
final class DocumentScheduleTest {
  private static WorkflowDocument read(String schedule) {
    String text = "{\"workflow\": \"w\", \"schedule\": " + schedule + ", \"do\": {\"skip\": true}}";
    return new DocumentReader().read("w.json", text);
  }

  @Test
  void a_schedule_has_a_time_policies_and_an_input() {
    DocumentSchedule read =
        read("{\"cron\": \"0 2 * * *\", \"zone\": \"Europe/Berlin\", \"overlap\": \"replace\","
                + " \"catchUp\": {\"within\": \"PT6H\"}, \"with\": {\"n\": 1}}")
            .schedule()
            .orElseThrow();

    assertThat(read.input()).isEqualTo(Context.of("n", 1));
    assertThat(read.schedule())
        .isEqualTo(
            Schedule.cron("0 2 * * *", "Europe/Berlin")
                .overlap(Overlap.REPLACE)
                .catchUp(CatchUp.within(Duration.ofHours(6))));
  }

  @Test
  void an_interval_and_the_defaults() {
    assertThat(read("{\"every\": \"PT1H\"}").schedule().orElseThrow().schedule())
        .isEqualTo(Schedule.every(Duration.ofHours(1)));
    assertThat(read("{\"cron\": \"0 2 * * *\"}").schedule().orElseThrow().schedule())
        .isEqualTo(Schedule.cron("0 2 * * *", "UTC"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"cron\": \"0 25 * * *\"} | hour must be between 0 and 23, got 25",
        "{\"cron\": \"0 2 30 2 *\"} | it never fires",
        "{\"cron\": \"0 2 * * *\", \"zone\": \"Berlin\"} | did you mean 'Europe/Berlin'?",
        "{\"every\": \"PT1H\", \"zone\": \"UTC\"} | 'zone' requires 'cron'",
        "{\"every\": \"PT0.1S\"} | an interval must be at least PT1S",
        "{\"cron\": \"0 2 * * *\", \"overlap\": \"both\"} | skip, queue, allow",
        "{\"cron\": \"0 2 * * *\", \"catchUp\": \"all\"} | none",
        "{\"cron\": \"0 2 * * *\", \"every\": 5} | every",
        "{} | cron",
      })
  void a_wrong_schedule_is_refused_with_its_place(String schedule, String sentence) {
    assertThatThrownBy(() -> read(schedule))
        .isInstanceOf(DocumentProblem.class)
        .hasMessageContaining("schedule")
        .hasMessageContaining(sentence);
  }
}
