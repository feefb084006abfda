package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.Exit;
import dev.damask.store.Store;
import dev.damask.store.rocksdb.RocksStore;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands on cases of a workflow that is written in Java. They do not have its code.
final class JavaCasesTest {
  @TempDir private Path folder;
  private String store = "";

  private static WorkflowDefinition order(String last) {
    return workflow(
        "order",
        task("price", context -> context.with("price", 42)),
        par(
            effect("pack", context -> Map.of("parcel", "P1")),
            defer(on("approved", skip()), after(Duration.ofDays(2), skip()))),
        effect(last));
  }

  private Engine open(WorkflowDefinition... workflows) {
    Store opened = RocksStore.open(folder.resolve("store"));
    return Engine.open(EngineOptions.defaults().withShards(1), opened, workflows);
  }

  @BeforeEach
  void one_case_waits() {
    store = folder.resolve("store").toString();
    var order = order("ship");
    try (Engine engine = open(order)) {
      engine.start(order, "one", Context.of("customer", "acme"));
      while (engine.status("one").tasks().stream().anyMatch(each -> each.task().equals("pack"))) {
        LockSupport.parkNanos(100_000);
      }
    }
  }

  @Test
  void show_prints_data_waits_and_source_lines() {
    Shell shown = damask("show", "one", "--store", store);

    assertThat(shown.exit()).as(shown.err()).isEqualTo(Exit.OK);
    assertThat(shown.out())
        .contains("the workflow is written in Java")
        .contains("  customer: \"acme\"")
        .contains("  price: 42")
        .contains("waits for signals:\n  approved")
        .containsPattern("1 at do\\[1\\]\\.par\\[1\\]");
    assertThat(damask("cases", store).err()).doesNotContain("does not contain");
    assertThat(damask("show", "one", "--store", store, "--as", "history").exit())
        .isEqualTo(Exit.OK);
    assertThat(damask("show", "one", "--store", store, "--revision", "1").out())
        .contains("customer");
  }

  @Test
  void show_and_draw_make_a_diagram() throws IOException {
    Path svg = folder.resolve("one.svg");

    assertThat(damask("show", "one", "--store", store, "-o", svg.toString()).exit())
        .isEqualTo(Exit.OK);
    assertThat(Files.readString(svg)).contains("pack").contains("approved").contains("ship");
    assertThat(damask("draw", "order", "--store", store).out()).contains("<svg").contains("ship");
    assertThat(damask("draw", "ordr", "--store", store).err())
        .contains("the store has no workflow 'ordr'; did you mean 'order'?");
  }

  @Test
  void draw_asks_which_version_is_meant() {
    var second = order("send");
    try (Engine engine = open(second)) {
      engine.start(second, "two", Context.empty());
    }

    Shell drawn = damask("draw", "order", "--store", store);

    assertThat(drawn.exit()).isEqualTo(Exit.INVALID);
    assertThat(drawn.err()).contains("the store has 2 versions of workflow order");
    String first = drawn.err().replaceAll("(?s).*name one as (order@[0-9a-f]+).*", "$1");
    assertThat(damask("draw", first, "--store", store).out()).contains("<svg");
  }

  @Test
  void a_signal_is_kept_for_the_engine_that_has_the_code() throws Exception {
    Shell sent =
        damask("signal", "one", "approved", "--store", store, "--data", "{\"by\":\"eve\"}");

    assertThat(sent.exit()).as(sent.err()).isEqualTo(Exit.OK);
    assertThat(sent.out()).contains("one: buffered");
    assertThat(damask("signal", "one", "aproved", "--store", store).exit())
        .isEqualTo(Exit.DIFFERENT);
    try (Engine engine = open(order("ship"))) {
      while (engine.status("one").tasks().isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
      engine.completeTask("one", "ship", Map.of());
      assertThat(engine.await("one"))
          .isEqualTo(
              new CaseResult.Completed<>(
                  Context.of("customer", "acme", "price", 42)
                      .with("parcel", "P1")
                      .with("by", "eve")));
    }
  }

  @Test
  void other_inputs_and_scenarios_say_what_they_need() {
    assertThat(damask("complete", "one", "pack", "--store", store).err())
        .contains("open the engine with that workflow");
    assertThat(damask("show", "one", "--store", store, "--as", "scenario").err())
        .contains("written in Java");
  }
}
