package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.graph.GraphDocument;
import dev.damask.graph.StepNotes;
import dev.damask.registry.RegistryEntry;
import dev.damask.rule.RuleDocument;
import dev.damask.rule.RuleSource;
import dev.damask.step.StepParts;
import dev.damask.step.StepScope;
import dev.damask.step.StepTask;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.task.ProcessInfo;
import dev.damask.value.Context;
import dev.damask.value.StepOutcome;
import dev.damask.value.StepResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/// A rule that is replaced or deleted while a step of it waits for an effect: the step continues
/// with the rule it began with, and the next step takes the new one.
final class RuleReplacedTest {
  private static final String PLAIN =
      """
      {"payload": {"n": {"type": "int64", "default": 1}},
       "contractReads": [{"to": "x", "function": "f()",
         "saveAs": {"0": {"key": "one", "type": "int64"}}}],
       "onValid": {"payload": {"sum": "([n] + [one])"}}}
      """;

  private static final String ASKING =
      """
      {"payload": {"n": {"type": "int64", "default": 1}},
       "contractReads": [{"to": "x", "function": "f()",
         "saveAs": {"0": {"key": "one", "type": "int64"}}}],
       "onValid": {"payload": {"sum": "([n] + [one])", "who": "[__owner] [pid]",
         "session": "[__sessionId]"}}}
      """;

  private static final String EMPTY = "{\"payload\": {}, \"onValid\": {\"payload\": {\"new\": 1}}}";

  /// A reader that answers when it is told to.
  private static final class Slow {
    final CountDownLatch asked = new CountDownLatch(1);
    final CountDownLatch answer = new CountDownLatch(1);

    SessionOptions answers(SessionOptions options) {
      return options.withReader(this::read);
    }

    private List<Object> read(StateSource.Request request) throws InterruptedException {
      asked.countDown();
      answer.await();
      return List.of(41L);
    }
  }

  private static Map<String, ?> replaced(String before, String after) throws InterruptedException {
    Slow slow = new Slow();
    try (Desk desk = new Desk(new MemoryStore(), slow::answers)) {
      desk.rule("r", before).graph("\"A\": {\"rule\": \"r\"}");
      SessionKey key = desk.start("A", Map.of());
      slow.asked.await();
      desk.rule("r", after);
      slow.answer.countDown();
      desk.end(key);
      return desk.result(key);
    }
  }

  @Test
  void a_step_continues_with_the_rule_it_began_with() throws InterruptedException {
    Map<String, ?> told = Map.of("sum", 42L, "who", "eve 1:1", "session", 1L);

    assertThat(replaced(PLAIN, ASKING)).isEqualTo(Map.of("sum", 42L));
    assertThat(replaced(ASKING, PLAIN)).isEqualTo(told);
    assertThat(replaced(ASKING, ASKING)).isEqualTo(told);
    assertThat(replaced(PLAIN, PLAIN)).isEqualTo(Map.of("sum", 42L));
    assertThat(replaced(PLAIN, EMPTY)).isEqualTo(Map.of("sum", 42L));
  }

  @Test
  void the_next_step_takes_the_rule_that_was_put_meanwhile() throws InterruptedException {
    Slow slow = new Slow();
    try (Desk desk = new Desk(new MemoryStore(), slow::answers)) {
      desk.rule("r", PLAIN)
          .graph(
              """
              "A": {"rule": "r", "onValid": {"spawns": ["B"]}}, "B": {"rule": "r"}
              """);
      SessionKey key = desk.start("A", Map.of());
      slow.asked.await();
      desk.rule("r", EMPTY);
      slow.answer.countDown();
      desk.end(key);

      List<String> hashes =
          desk.sessions.log(key, _ -> true).stream()
              .map(line -> line.json().replaceAll(".*\"ruleHash\":\"([^\"]+)\".*", "$1"))
              .toList();
      assertThat(hashes)
          .containsExactly(RuleDocument.read(PLAIN).hash(), RuleDocument.read(EMPTY).hash());
      assertThat(desk.result(key)).isEqualTo(Map.of("new", 1L));
    }
  }

  @Test
  void a_step_whose_rule_is_deleted_meanwhile_continues() throws InterruptedException {
    Store store = new MemoryStore();
    Slow slow = new Slow();
    SessionKey key;
    try (Desk desk = new Desk(store, slow::answers)) {
      desk.rule("r", PLAIN).graph("\"A\": {\"rule\": \"r\"}");
      key = desk.start("A", Map.of());
      slow.asked.await();
      desk.sessions.registry().delete(Desk.ME, RegistryEntry.Kind.RULE, "r");
    }
    try (Desk desk = new Desk(store, options -> options.withReader(_ -> List.of(5L)))) {
      desk.clock.advance(60_000); // the call that was cut off is tried again after a while
      desk.end(key);

      assertThat(desk.result(key)).isEqualTo(Map.of("sum", 6L));
    }
  }

  @Test
  void progress_of_format_4_continues_with_the_rule_that_is_there() {
    GraphDocument graph =
        GraphDocument.read("{\"id\": \"g\", \"structure\": {\"A\": {\"rule\": \"r\"}}}");
    StepParts parts = StepParts.of(new RuleSource.Cache(_ -> EMPTY));
    StepTask task =
        new StepTask(
            "A", "r", parts, new StepTask.Spawns(0, 0), new StepNotes(graph, parts.rules()));
    Context stored =
        Context.of("n", 1L)
            .with(StepScope.PROGRESS, Map.of("stage", "READS", "index", 3L))
            .with(StepScope.EFFECT, Map.of("values", List.of(1L)));

    assertThat(task.evaluate(stored, ProcessInfo.NO_PROCESS))
        .isInstanceOfSatisfying(
            StepResult.Evaluated.class,
            result -> assertThat(result.outcome()).isEqualTo(StepOutcome.VALID));
    assertThat(task.evaluate(stored.with(StepScope.PROGRESS, "CALLS"), ProcessInfo.NO_PROCESS))
        .isInstanceOf(StepResult.Evaluated.class);
  }

  @Test
  void a_step_that_waits_goes_on_in_another_life() throws InterruptedException {
    Store store = new MemoryStore();
    Slow slow = new Slow();
    SessionKey key;
    try (Desk desk = new Desk(store, slow::answers)) {
      desk.rule("r", PLAIN).graph("\"A\": {\"rule\": \"r\"}");
      key = desk.start("A", Map.of("n", 1));
      slow.asked.await();
    }
    try (Desk desk = new Desk(store, options -> options.withReader(_ -> List.of(5L)))) {
      desk.clock.advance(60_000); // the call that was cut off is tried again after a while
      desk.end(key);

      assertThat(desk.result(key)).isEqualTo(Map.of("sum", 6L));
      assertThat(desk.sessions.log(key, _ -> true).getFirst().json())
          .contains("\"payload\":{\"sum\":6}", "\"contractSaves\":{\"one\":5}", "\"rule\":\"r\"");
    }
  }
}
