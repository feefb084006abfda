package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.server.ServedEngine.Answer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The past of a case that was moved to another version: each position has the version of its time.
final class MigratedPastTest {
  private static final String NEWER =
      ServedEngine.ORDER.replace("  - task: ship\n", "  - task: ship\n  - task: insure\n");

  private ServedEngine served;
  private String before = "";
  private String after = "";

  @BeforeEach
  void migrate() {
    served = ServedEngine.inMemory();
    before = String.valueOf(served.get(served.viewer, "/v1/cases/order-2").at("program"));
    Answer put = served.send("PUT", served.admin, "/v1/workflows/order", NEWER);
    assertThat(put.status()).as(put.text()).isEqualTo(200);
    after = String.valueOf(put.at("program"));
    Answer moved =
        served.post(served.admin, "/v1/cases/order-2/migrate", "{\"to\":\"" + after + "\"}");
    assertThat(moved.status()).as(moved.text()).isEqualTo(200);
    served.engine.completeTask("order-2", "ship", Map.of());
  }

  @AfterEach
  void close() {
    served.close();
  }

  private List<?> positions() {
    Object items = served.get(served.viewer, "/v1/cases/order-2/positions").at("items");
    return (List<?>) Objects.requireNonNull(items);
  }

  private static Object field(Object position, String name) {
    return Objects.requireNonNull(((Map<?, ?>) position).get(name));
  }

  @Test
  void each_position_has_the_program_that_the_case_ran_with() {
    boolean isMoved = false;
    for (Object each : positions()) {
      isMoved |= "migrated".equals(field(each, "cause"));
      String wanted = isMoved ? after : before;
      String at = "/v1/cases/order-2/at/" + field(each, "position");

      assertThat(field(each, "program")).isEqualTo(wanted);
      assertThat(served.get(served.viewer, at).at("program")).isEqualTo(wanted);
    }
    assertThat(isMoved).isTrue();
    assertThat(before).isNotEqualTo(after);
  }

  @Test
  void a_position_is_drawn_on_the_version_of_its_time() {
    String first = served.get(served.viewer, "/v1/cases/order-2/drawing?position=1").text();
    String last =
        served
            .get(served.viewer, "/v1/cases/order-2/drawing?position=" + positions().size())
            .text();

    assertThat(first).contains("ship").doesNotContain("insure");
    assertThat(last).contains("ship", "insure");
    assertThat(served.get(served.viewer, "/v1/cases/order-2/drawing").text()).contains("insure");
  }

  @Test
  void windows_of_states_name_the_program_where_it_changes() {
    Answer window =
        served.get(served.viewer, "/v1/cases/order-2/states?from=1&to=" + positions().size());

    assertThat(window.at("items.0.state.program")).isEqualTo(before);
    assertThat(window.text()).contains("\"program\": \"" + after + "\"");
  }
}
