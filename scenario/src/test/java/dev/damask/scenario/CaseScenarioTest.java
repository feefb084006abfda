package dev.damask.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.clock.VirtualClock;
import dev.damask.document.DocumentReader;
import dev.damask.document.WorkflowDocument;
import dev.damask.history.JournalMode;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Cases that were stored become scenarios that pass.
final class CaseScenarioTest {
  private static final Path SUITE = Path.of("..", "scenarios");

  private final VirtualClock clock = new VirtualClock(1_700_000_000_000L);

  private EngineOptions options() {
    return EngineOptions.defaults()
        .withShards(1)
        .withClock(clock)
        .withHandlers(Map.of())
        .withGrace(Duration.ZERO);
  }

  private static WorkflowDocument document(String text) {
    return new DocumentReader().read("test", text);
  }

  private static final String ORDER =
      """
      workflow: order
      places: {approved: {external: true}}
      do:
        - par: [{task: charge}, {task: reserve}]
        - defer:
            - {take: approved, do: {task: ship}}
            - {after: P2D, do: {fail: late}}
      """;

  @Test
  void a_case_becomes_a_scenario_that_passes_and_redacted_values_are_not_in_it() {
    WorkflowDocument order = document(ORDER);
    try (Engine engine = Engine.open(options(), new MemoryStore(), order.workflow())) {
      var run = engine.start(order.workflow(), "o-1", Context.of("card", "4711", "amount", 120));
      run.completeTask("charge", Map.of("payment", "p-17"));
      clock.advance(3_600_000);
      run.completeTask("reserve", Map.of("shelf", "B4"));
      run.signal("approved", Map.of("by", "eve"));
      run.completeTask("ship", Map.of());

      String plain = CaseScenario.of(engine.history("o-1"), order, Set.of());
      String redacted = CaseScenario.of(engine.history("o-1"), order, Set.of("card", "by"));

      assertThat(passes(plain)).isEmpty();
      assertThat(plain).contains("4711", "PT1H", "\"by\": \"eve\"", "\"status\": \"completed\"");
      assertThat(passes(redacted)).isEmpty();
      assertThat(redacted).doesNotContain("4711", "eve").contains("p-17");
    }
  }

  @Test
  void a_case_without_a_complete_journal_is_refused() {
    WorkflowDocument order = document(ORDER);
    EngineOptions none = options().withJournal(JournalMode.NONE);
    try (Engine engine = Engine.open(none, new MemoryStore(), order.workflow())) {
      engine.start(order.workflow(), "o-1", Context.empty());

      assertThatThrownBy(() -> CaseScenario.of(engine.history("o-1"), order, Set.of()))
          .isInstanceOf(CaseScenario.NotExpressible.class)
          .hasMessageContaining("case o-1: its journal was not kept");
    }
  }

  private static List<ScenarioResult.Mismatch> passes(String text) {
    ScenarioDocument read = new ScenarioReader().read("scenario", text, Path.of("."));
    return ScenarioRunner.run(read).failures();
  }

  /// The workflows of the scenario suite, driven by random inputs on an engine.
  @Test
  @Timeout(120)
  void random_cases_of_every_workflow_of_the_suite_become_scenarios_that_pass() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(SUITE)) {
      files = all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
    int exported = 0;
    List<String> refused = new ArrayList<>();
    try (Engine engine = Engine.open(options(), new MemoryStore())) {
      for (Path file : files) {
        for (long seed = 0; seed < 3; seed++) {
          try {
            exported += export(engine, new ScenarioReader().read(file), file, seed) ? 1 : 0;
          } catch (CaseScenario.NotExpressible e) {
            refused.add(file.getFileName() + ": " + e.getMessage());
          } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(file + ", seed " + seed + ": " + e, e);
          }
        }
      }
    }
    assertThat(refused).as("%d exported", exported).isEmpty();
    assertThat(exported).isGreaterThan(3 * files.size() / 2);
  }

  private boolean export(Engine engine, ScenarioDocument scenario, Path file, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    var workflow = scenario.workflow().workflow();
    String id = String.valueOf(file.getFileName()).replace(".json", "") + "-" + seed;
    engine.register(workflow);
    engine.start(workflow, id, scenario.with());
    for (int i = 0; i < 12 && !engine.status(id).status().isEnded(); i++) {
      event(engine, id, scenario, random);
    }
    if (engine.status(id).status() == CaseStatus.QUARANTINED) {
      return false;
    }
    assertThat(engine.history(id).replay()).isEmpty();
    String text = CaseScenario.of(engine.history(id), scenario.workflow(), Set.of());
    assertThat(passes(text)).as(text).isEmpty();
    return true;
  }

  private void event(Engine engine, String id, ScenarioDocument scenario, SplittableRandom random) {
    List<PendingTask> tasks = engine.status(id).tasks();
    List<String> places = engine.status(id).places();
    int kind = random.nextInt(10);
    if (kind < 6 && !tasks.isEmpty()) {
      PendingTask task = tasks.get(random.nextInt(tasks.size()));
      if (kind == 0) {
        engine.failTask(id, task.id(), "broken");
      } else {
        engine.completeTask(id, task.id(), data(scenario, random));
      }
    } else if (kind < 8 && !places.isEmpty()) {
      engine.signal(id, places.get(random.nextInt(places.size())), data(scenario, random));
    } else if (kind == 8 && !tasks.isEmpty()) {
      engine.cancelTask(id, tasks.get(random.nextInt(tasks.size())).id());
    } else {
      clock.advance(1 + random.nextInt(120_000));
      engine.status(id);
    }
  }

  /// Data of the suite, so that expressions find the keys they read.
  private static Map<String, Object> data(ScenarioDocument scenario, SplittableRandom random) {
    Map<String, Object> data = new HashMap<>();
    List<ScenarioStep> steps = scenario.steps();
    switch (steps.get(random.nextInt(steps.size())).event()) {
      case ScenarioEvent.Done(_, var set) -> set.forEach(data::put);
      case ScenarioEvent.Signal(_, var set) -> set.forEach(data::put);
      default -> data.put("n", random.nextInt(3));
    }
    return data;
  }
}
