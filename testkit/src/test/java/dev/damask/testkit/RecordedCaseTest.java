package dev.damask.testkit;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.MemoryStore;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A case of a Java workflow that is repeated with other code.
final class RecordedCaseTest {
  @TempDir Path folder;

  private static WorkflowDefinition order(long factor) {
    return workflow(
            "order",
            effect("charge"),
            take("go"),
            task(
                "total",
                c -> c.with("total", (Long) Objects.requireNonNull(c.get("amount")) * factor)),
            take("go"))
        .withPlaces(Place.external("go"));
  }

  private Path recorded() {
    Path file = folder.resolve("order.case");
    EngineOptions options =
        EngineOptions.defaults().withShards(1).withHandlers(Map.of()).withGrace(Duration.ZERO);
    try (Engine engine = Engine.open(options, new MemoryStore(), order(2))) {
      var run = engine.start(order(2), "o-1", Context.of("amount", 60, "note", "n".repeat(900)));
      run.completeTask("charge", Map.of("payment", "p".repeat(700)));
      run.signal("go", Map.of("by", "e".repeat(600)));
      RecordedCase.save(engine, "o-1", file);
    }
    return file;
  }

  @Test
  void the_same_code_repeats_the_case() {
    RecordedCase recorded = RecordedCase.load(recorded());

    recorded.requireSame(order(2));

    assertThat(recorded.history(order(2)).at(3).view().context().get("total")).isEqualTo(120L);
  }

  @Test
  void changed_code_is_reported_with_the_place_of_the_difference() {
    RecordedCase recorded = RecordedCase.load(recorded());

    assertThatThrownBy(() -> recorded.requireSame(order(3)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("case o-1 does something else before revision 3, after input 1")
        .hasMessageContaining("total")
        .hasMessageContaining("120")
        .hasMessageContaining("180");
  }

  @Test
  void a_damaged_file_and_another_workflow_are_refused() throws IOException {
    Path file = recorded();
    WorkflowDefinition other = workflow("other", take("go")).withPlaces(Place.external("go"));
    assertThatThrownBy(() -> RecordedCase.load(file).requireSame(other))
        .hasMessageContaining("case o-1: it belongs to program");
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);

    assertThatThrownBy(() -> RecordedCase.load(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the file of a case is corrupt");
  }
}
