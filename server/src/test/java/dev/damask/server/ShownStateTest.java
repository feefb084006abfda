package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The fields of a state and of the statistics that the inspector shows.
final class ShownStateTest {
  private static final String TRIP =
      """
      workflow: trip
      do:
        cancel: booking
        undo: true
        do:
          - task: hotel
            undo: { task: freehotel }
          - par:
              - task: flight
              - task: car
      """;

  private static ServedEngine served;

  @BeforeAll
  static void open() {
    served = ServedEngine.inMemory();
    served.register(TRIP);
    served.start("trip", "trip-1", Context.empty());
    while (served.engine.statistics().incidents() == 0) {
      LockSupport.parkNanos(100_000); // until the handler of kaputt-1 has failed
    }
  }

  @AfterAll
  static void close() {
    served.close();
  }

  @Test
  void a_state_names_the_element_of_each_join_and_the_tasks_that_would_be_undone() {
    served.engine.completeTask("trip-1", "hotel", Map.of());
    served.engine.completeTask("trip-1", "car", Map.of());

    ServedEngine.Answer shown = served.get(served.viewer, "/v1/cases/trip-1");

    assertThat(shown.at("joins.0.element")).isEqualTo("do.do[1]");
    assertThat(shown.at("joins.0.line")).isEqualTo(8L);
    assertThat(shown.at("joins.0.completed")).isEqualTo(1L);
    assertThat(shown.at("undo.0.name")).isEqualTo("hotel");
    assertThat(shown.at("undo.0.element")).isEqualTo("do.do[0]");
    assertThat(shown.at("undo.0.line")).isEqualTo(6L);
    assertThat(shown.at("undo.0.begun")).isEqualTo(false);
    assertThat(shown.at("undo.1")).isNull();
  }

  @Test
  void statistics_count_the_calls_of_each_effect_type() {
    ServedEngine.Answer shown = served.get(served.admin, "/v1/statistics");

    assertThat(shown.at("byType.0.name")).isEqualTo("kaboom");
    assertThat(shown.at("byType.0.calls")).isEqualTo(1L);
    assertThat(shown.at("byType.0.failed")).isEqualTo(1L);
    assertThat(shown.at("byType.0.p99")).isNotNull();
    assertThat(served.get(served.limited, "/v1/statistics").at("byType")).isNull();
  }

  @Test
  void metrics_have_latencies_as_histograms() {
    List<String> lines = served.get(served.viewer, "/metrics").text().lines().toList();

    assertThat(lines).contains("# TYPE damask_commit_seconds histogram");
    List<String> buckets =
        lines.stream().filter(each -> each.startsWith("damask_commit_seconds_bucket")).toList();
    assertThat(buckets).hasSize(13);
    assertThat(buckets.getLast()).startsWith("damask_commit_seconds_bucket{le=\"+Inf\"} ");
    List<Long> counts =
        buckets.stream().map(each -> Long.parseLong(each.split(" ", 2)[1])).toList();
    assertThat(counts).isSorted();
    assertThat(lines).contains("damask_commit_seconds_count " + counts.getLast());
    assertThat(lines).contains("damask_effect_failures_total{type=\"kaboom\"} 1");
    assertThat(lines).contains("damask_effect_seconds_count{type=\"kaboom\"} 1");
  }
}
