package dev.damask.store.postgres;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.CaseStatus;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Which cases a dead engine was executing. An engine dies by losing its connections for good.
@Timeout(60)
final class ProbationTest {
  private final AtomicLong passed = new AtomicLong();
  private final PostgresOptions options =
      TestServer.schema()
          .withLease(Duration.ofMillis(400))
          .withNanoTime(() -> System.nanoTime() + passed.get());

  private PostgresStore store() {
    return PostgresStore.open(TestServer.source(), options);
  }

  private static TcpProxy proxy() {
    return new TcpProxy(TestServer.host(), TestServer.port());
  }

  private PostgresStore through(TcpProxy proxy) {
    return PostgresStore.open(TestServer.through("127.0.0.1", proxy.port()), options);
  }

  /// Opens a store that dies while a shard executes a case. Returns the suspects that it found.
  private List<String> dieWith(String caseId) {
    TcpProxy proxy = proxy();
    try (PostgresStore store = through(proxy)) {
      store.moving(0, "other");
      store.moving(0, "");
      store.moving(1, "innocent");
      store.moving(0, caseId);
      store.moving(1, "");
      proxy.close();
      return store.suspects();
    }
  }

  private List<String> recorded() {
    return TestServer.query("select case_id from " + options.schema() + ".probation");
  }

  @Test
  void the_case_of_an_engine_that_died_after_another_death_is_a_suspect_once() {
    assertThat(dieWith("poison")).isEmpty();
    assertThat(recorded()).as("nothing is recorded before the first death").isEmpty();

    assertThat(dieWith("poison")).isEmpty();
    try (PostgresStore store = store()) {
      assertThat(store.suspects()).containsExactly("poison");
    }
    try (PostgresStore store = store()) {
      assertThat(store.suspects()).isEmpty();
      store.moving(0, "one");
      assertThat(recorded()).as("the engine before was closed").isEmpty();
    }
  }

  @Test
  void recording_ends_after_ten_minutes_and_leaves_no_record() {
    dieWith("poison");
    try (PostgresStore store = store()) {
      store.moving(0, "one");
      assertThat(recorded()).containsExactly("one");

      passed.addAndGet(Probation.TIME.toNanos());
      store.moving(0, "");
      store.moving(0, "two");

      assertThat(recorded()).isEmpty();
    }
  }

  @Test
  void a_fenced_engine_records_nothing() {
    dieWith("poison");
    try (PostgresStore store = store()) {
      TestServer.execute("update " + options.schema() + ".node set fenced = true");

      store.moving(0, "one");

      assertThat(recorded()).isEmpty();
    }
  }

  @Test
  void a_record_does_not_wait_for_the_disk() {
    dieWith("poison");
    try (PostgresStore store = store()) {
      TestServer.execute(
          "create function %1$s.note() returns trigger language plpgsql as $$ begin"
                  .formatted(options.schema())
              + " new.case_id := current_setting('synchronous_commit'); return new; end $$");
      TestServer.execute(
          "create trigger note before insert on %1$s.probation for each row execute function"
                  .formatted(options.schema())
              + " %1$s.note()".formatted(options.schema()));

      store.moving(0, "one");

      assertThat(recorded()).containsExactly("off");
      assertThat(TestServer.query("show synchronous_commit")).containsExactly("on");
    }
  }

  @Test
  void a_case_that_kills_the_process_is_quarantined_and_others_continue() {
    var waiting = workflow("waiting", defer(on("go", skip())));
    EngineOptions engineOptions =
        EngineOptions.defaults().withShards(2).withGrace(Duration.ofMillis(20));
    try (var engine = Engine.open(engineOptions, store(), waiting)) {
      engine.start(waiting, "poison", Context.empty());
      engine.start(waiting, "good", Context.empty());
    }
    dieWith("poison");
    for (int i = 0; i < 3; i++) {
      TcpProxy proxy = proxy();
      PostgresStore store = through(proxy);
      try (var engine = Engine.open(engineOptions, store, waiting)) {
        assertThat(engine.status("poison").status()).isEqualTo(CaseStatus.WAITING);
        store.moving(0, "poison");
        proxy.close();
      }
    }
    try (var engine = Engine.open(engineOptions, store(), waiting)) {
      assertThat(engine.status("poison").status()).isEqualTo(CaseStatus.QUARANTINED);
      assertThat(engine.status("poison").report())
          .containsExactly("the process died 3 times while it moved");
      assertThat(engine.signal("good", "go", Map.of()).isAccepted()).isTrue();
      assertThat(engine.verify()).isEmpty();
    }
  }
}
