package dev.damask.store.postgres;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.history.HistoryPolicy;
import dev.damask.store.CaseRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.term.Place;
import dev.damask.testkit.ForwardingStore;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import dev.damask.value.Sum;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The same commits on memory and PostgreSQL give the same bytes.
@Timeout(60)
final class SameBytesTest {
  private static final int CASES = 12;
  private static final int SIGNALS = 60;

  private final MemoryStore memory = new MemoryStore();

  private final class Both extends ForwardingStore {
    Both(Store target) {
      super(target);
    }

    @Override
    public CompletableFuture<Void> commit(CommitBatch batch) {
      memory.commit(batch).join();
      return super.commit(batch);
    }
  }

  @Test
  void a_random_history_has_the_same_bytes_on_both() {
    Random random = new Random(7);
    var step =
        defer(
            on(
                "go",
                seq(
                    effect("ask"),
                    task("grow", c -> c.with("text" + random.nextInt(4), "x".repeat(900))))),
            after(Duration.ofDays(2), skip()));
    var work = workflow("work", seq(step, step, step, step, step));
    EngineOptions options =
        EngineOptions.defaults()
            .withShards(1)
            .withTrace(TraceLevel.FULL)
            .withGrace(Duration.ofMillis(20))
            .withHandler("ask", call -> Map.of("n", call.key().length()));
    PostgresOptions schema = TestServer.schema();
    PostgresStore postgres = PostgresStore.open(TestServer.source(), schema);
    assertThat(postgres.epoch()).isEqualTo(memory.epoch());
    try (var engine = Engine.open(options, new Both(postgres), work)) {
      for (int i = 0; i < CASES; i++) {
        engine.start(work, "case-" + i, Context.of("big", "y".repeat(2_000)));
      }
      for (int i = 0; i < SIGNALS; i++) {
        engine.signal("case-" + random.nextInt(CASES), "go", Map.of("i", i), "m" + i);
      }
    }
    try (PostgresStore again = PostgresStore.open(TestServer.source(), schema)) {
      agree(again, CASES);
      assertThat(again.verify()).isEmpty();
    }
  }

  @Test
  void a_trimmed_history_has_the_same_bytes_and_values_on_both() {
    var work = workflow("work", repeat(1_000, take("go"))).withPlaces(Place.external("go"));
    EngineOptions options =
        EngineOptions.defaults()
            .withShards(1)
            .withGrace(Duration.ofMillis(20))
            .withHistory(HistoryPolicy.ALL.withRevisionsMax(40));
    PostgresOptions schema = TestServer.schema();
    PostgresStore postgres = PostgresStore.open(TestServer.source(), schema);
    try (var engine = Engine.open(options, new Both(postgres), work)) {
      engine.start(work, "case-0", Context.empty());
      for (int i = 0; i < 120; i++) {
        String large = i % 10 == 0 ? ("v" + i).repeat(200) : ("y" + i).repeat(60);
        engine.signal("case-0", "go", Map.of("text" + i % 3, large));
      }
      assertThat(engine.history("case-0").oldest()).isBetween(70L, 120L);
      assertThat(engine.verify()).isEmpty();
    }
    try (PostgresStore again = PostgresStore.open(TestServer.source(), schema)) {
      agree(again, 1);
      assertThat(again.verify()).isEmpty();
    }
  }

  private void agree(Store disk, int cases) {
    assertThat(disk.ids("")).isEqualTo(memory.ids("")).hasSize(cases);
    for (String caseId : memory.ids("")) {
      CaseRecord expected = memory.record(caseId).orElseThrow();
      assertThat(disk.record(caseId).orElseThrow().encode())
          .as(caseId)
          .isEqualTo(expected.encode());
      assertThat(disk.receipts(caseId)).isEqualTo(memory.receipts(caseId));
      assertThat(disk.intents(caseId)).isEqualTo(memory.intents(caseId));
      assertThat(disk.trace(caseId)).containsExactlyElementsOf(memory.trace(caseId));
      long half = disk.record(caseId).orElseThrow().revision() / 2;
      assertThat(disk.trace(caseId, half)).containsExactlyElementsOf(memory.trace(caseId, half));
      List<Store.RevisionInputs> inputs = memory.journal(caseId, 0, Long.MAX_VALUE);
      List<Store.RevisionInputs> written = disk.journal(caseId, 0, Long.MAX_VALUE);
      assertThat(written).hasSameSizeAs(inputs).isNotEmpty();
      for (int i = 0; i < inputs.size(); i++) {
        assertThat(written.get(i).revision()).isEqualTo(inputs.get(i).revision());
        assertThat(written.get(i).bytes()).isEqualTo(inputs.get(i).bytes());
      }
      List<Store.RevisionRecord> states = memory.states(caseId, 0, Long.MAX_VALUE);
      List<Store.RevisionRecord> found = disk.states(caseId, 0, Long.MAX_VALUE);
      assertThat(found).hasSameSizeAs(states).isNotEmpty();
      for (int i = 0; i < states.size(); i++) {
        assertThat(found.get(i).revision()).isEqualTo(states.get(i).revision());
        assertThat(found.get(i).record().bytes()).isEqualTo(states.get(i).record().bytes());
        for (Sum hash : states.get(i).record().header().values()) {
          assertThat(disk.value(caseId, hash)).isEqualTo(memory.value(caseId, hash)).isNotNull();
        }
      }
    }
    assertThat(disk.due(Store.DueCase.FIRST, CASES))
        .isEqualTo(memory.due(Store.DueCase.FIRST, CASES));
    assertThat(disk.consumed("case-0", "none")).isEmpty();
  }
}
