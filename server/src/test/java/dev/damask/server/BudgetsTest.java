package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.json.JsonWriter;
import dev.damask.server.ServedEngine.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Requests that compute for long end, and others get their turn.
@Timeout(60)
final class BudgetsTest {
  private static final String SPIN =
      """
      workflow: spin
      limits: { steps: 1000000000000 }
      do:
        - loop: { while: "true" }
          do:
            - set: { n: "1" }
      """;

  private static final String TICK =
      """
      workflow: tick
      limits: { steps: 1000000000000 }
      do:
        - loop: { while: "true" }
          do:
            - defer:
                - after: PT1S
      """;

  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
  }

  @AfterEach
  void close() {
    served.close();
  }

  private Answer tried(String document, List<Map<String, Object>> events, Map<String, Object> in) {
    return served.post(
        served.operator,
        "/v1/try",
        JsonWriter.line(
            JsonWriter.object(
                "document", document, "events", new ArrayList<>(events), "input", in)));
  }

  @Test
  void a_trial_that_never_waits_ends_with_its_deadline() {
    Answer answer = tried(SPIN, List.of(), Map.of());

    assertThat(answer.status()).as(answer.text()).isEqualTo(422);
    assertThat(answer.text()).contains("has not ended after");
    assertThat(tried("workflow: a\ndo:\n  - task: b\n", List.of(), Map.of()).status())
        .isEqualTo(200);
  }

  @Test
  void a_trial_with_endless_timers_ends_with_its_deadline() {
    Answer answer =
        tried(TICK, List.of(Map.of("kind", "time", "at", "9999-01-01T00:00:00Z")), Map.of());

    assertThat(answer.status()).as(answer.text()).isEqualTo(422);
    assertThat(answer.text()).contains("has not ended after");
  }

  @Test
  void a_fork_that_never_waits_ends_with_its_deadline() {
    served.register(SPIN.replace("do:\n  - loop", "do:\n  - task: go\n  - loop"));
    served.start("spin", "spin-1", dev.damask.value.Context.empty());

    Answer answer =
        served.post(
            served.operator,
            "/v1/cases/spin-1/fork",
            "{\"inputs\":[{\"kind\":\"complete\",\"task\":\"go\"}]}");

    assertThat(answer.status()).as(answer.text()).isEqualTo(422);
    assertThat(answer.text()).contains("has not ended after");
  }

  @Test
  void the_states_of_all_positions_of_a_trial_are_bounded() {
    List<Map<String, Object>> events = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      events.add(Map.of("kind", "time", "at", "1970-01-01T00:00:%02dZ".formatted(i % 60)));
    }

    Answer answer =
        tried("workflow: a\ndo:\n  - task: b\n", events, Map.of("text", "x".repeat(200_000)));

    assertThat(answer.status()).as(answer.text()).isEqualTo(422);
    assertThat(answer.text()).contains("send fewer events");
  }

  @Test
  void a_document_that_is_drawn_has_a_largest_size() {
    String large = "workflow: a\ndescription: " + "x".repeat(300_000) + "\ndo:\n  - task: b\n";

    assertThat(served.post(served.operator, "/v1/draw", large).status()).isEqualTo(413);
  }
}
