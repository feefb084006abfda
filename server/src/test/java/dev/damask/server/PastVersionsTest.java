package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.server.ServedEngine.Answer;
import dev.damask.value.Context;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The past of a case that was migrated: each position has the program that the case had then.
@Timeout(30)
final class PastVersionsTest {
  private static final String FIRST = "workflow: moved\nversion: '1'\ndo:\n  - task: pack\n";
  private static final String SECOND = FIRST.replace("'1'", "'2'") + "  - task: label\n";

  @Test
  void states_and_pictures_are_those_of_the_version_of_their_position() {
    try (ServedEngine served = ServedEngine.inMemory()) {
      served.register(FIRST);
      served.start("moved", "moved-1", Context.empty());
      String before = served.engine.current("moved").orElseThrow().hash().toString();
      served.register(SECOND);
      String after = served.engine.current("moved").orElseThrow().hash().toString();
      served.post(served.admin, "/v1/cases/moved-1/migrate", "{\"to\":\"" + after + "\"}");
      served.engine.completeTask("moved-1", "pack", Map.of());

      Answer first = served.get(served.admin, "/v1/cases/moved-1/at/1");
      Answer states = served.get(served.admin, "/v1/cases/moved-1/states?from=1&to=20");
      Object last = states.at("total");
      Answer now = served.get(served.admin, "/v1/cases/moved-1/at/" + last);
      Answer picture = served.get(served.admin, "/v1/cases/moved-1/picture?position=1");
      Answer present = served.get(served.admin, "/v1/cases/moved-1/picture");

      assertThat(first.at("program")).isEqualTo(before);
      assertThat(now.at("program")).isEqualTo(after);
      assertThat(states.at("items.0.state.program")).isEqualTo(before);
      assertThat(states.text().split("\"program\"", -1)).as("sent once per change").hasSize(3);
      assertThat(picture.text()).contains("pack").doesNotContain("label");
      assertThat(present.text()).contains("label");
    }
  }
}
