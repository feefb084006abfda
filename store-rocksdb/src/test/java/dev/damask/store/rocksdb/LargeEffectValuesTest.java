package dev.damask.store.rocksdb;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.Receipt;
import dev.damask.history.HistoryPolicy;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/// Payloads and results of effects refer to large values, which a case stores once.
@Timeout(120)
final class LargeEffectValuesTest {
  private static final int EFFECTS = 40;
  private static final String DOCUMENT = "d".repeat(50_000);
  private static final Context PAYLOAD = Context.of("document", DOCUMENT).with("small", "s");

  @TempDir Path folder;

  private static Term send(String name) {
    return effect(name, _ -> new EffectSpec("send", PAYLOAD, null), null);
  }

  private static WorkflowDefinition sending() {
    List<Term> all = new ArrayList<>();
    for (int i = 0; i < EFFECTS; i++) {
      all.add(send("send " + i));
    }
    return workflow("sending", par(all.toArray(Term[]::new)));
  }

  private static EngineOptions handledBy(EffectHandler handler) {
    return EngineOptions.defaults()
        .withShards(1)
        .withGrace(Duration.ZERO)
        .withHandler("send", handler);
  }

  @Test
  void many_effects_with_one_large_payload_and_result_write_it_a_few_times_in_all()
      throws Exception {
    try (Engine engine =
        Engine.open(
            handledBy(call -> Context.of("got", call.with().get("document"))), folder, sending())) {
      engine.start(sending(), "one", Context.empty());
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      List<Receipt> receipts = engine.receipts("one");
      assertThat(receipts).hasSize(EFFECTS);
      assertThat(receipts)
          .allSatisfy(each ->
              assertThat(each.body().result())
                  .isEqualTo(new Receipt.Result.Ok(Context.of("got", DOCUMENT))));
      assertThat(engine.verify()).isEmpty();
    }
    assertThat(written()).isLessThan(3L * DOCUMENT.length() + 2_000L * EFFECTS);
  }

  private long written() throws Exception {
    try (Stream<Path> files = Files.list(folder.resolve("data"))) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  private static WorkflowDefinition waiting() {
    return workflow("waiting", par(send("send"), repeat(300, take("go"))))
        .withPlaces(Place.external("go"));
  }

  private Store store(String kind) {
    return kind.equals("memory") ? new MemoryStore() : RocksStore.open(folder);
  }

  /// The payload is in no context, so only the intent keeps it.
  @ParameterizedTest
  @ValueSource(strings = {"memory", "disk"})
  void an_open_effect_keeps_its_payload_however_many_bases_are_written(String kind)
      throws Exception {
    List<Context> payloads = new CopyOnWriteArrayList<>();
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    EngineOptions options =
        handledBy(
                call -> {
                  payloads.add(call.with());
                  called.countDown();
                  never.await();
                  return Context.empty();
                })
            .withHistory(HistoryPolicy.LAST);
    Store store = store(kind);
    try (Engine engine = Engine.open(options, store, waiting())) {
      engine.start(waiting(), "one", Context.empty());
      for (int i = 0; i < 200; i++) {
        engine.signal("one", "go", Map.of("text", "%03d".formatted(i).repeat(90)));
      }
      called.await();
    }
    Store again = kind.equals("memory") ? store : RocksStore.open(folder);
    EngineOptions answering =
        handledBy(call -> {
          payloads.add(call.with());
          return Context.empty();
        });
    try (Engine engine = Engine.open(answering, again, waiting())) {
      for (int i = 0; i < 100; i++) {
        engine.signal("one", "go", Map.of());
      }
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.verify()).isEmpty();
    }
    assertThat(payloads).containsExactly(PAYLOAD, PAYLOAD);
  }

  @Test
  void a_value_of_a_receipt_that_is_missing_is_named() throws Exception {
    try (Engine engine =
        Engine.open(handledBy(_ -> Context.of("got", DOCUMENT)), folder, sending())) {
      engine.start(sending(), "one", Context.empty());
      engine.await("one");
    }
    try (RocksDB db = RocksDB.open(new Options(), folder.resolve("data").toString());
        var keys = db.newIterator()) {
      for (keys.seekToFirst(); keys.isValid(); keys.next()) {
        if (keys.key()[0] == Keys.LASTING || keys.key()[0] == Keys.VALUE) {
          db.delete(keys.key());
        }
      }
    }
    try (Store store = RocksStore.open(folder)) {
      assertThatThrownBy(() -> store.receipts("one"))
          .isInstanceOf(CorruptCaseException.class)
          .hasMessageContaining("is missing");
      assertThat(store.verify()).anyMatch(each -> each.contains("one") && each.contains("missing"));
    }
  }
}
