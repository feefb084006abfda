package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cases.EngineOptions;
import dev.damask.registry.Registry;
import dev.damask.registry.RegistryEntry;
import dev.damask.registry.RegistryEntry.Kind;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.TableRow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What retention leaves of a registry and its sessions, and who may put what again.
final class RetainedSessionsTest {
  private static final String STEP = "\"A\": {\"rule\": \"sure\"}";
  private static final String MIXED = "0xAbCdEf0123456789aBcDeF0123456789AbCdEf01";

  private static Desk open(MemoryStore store, Duration retention) {
    return new Desk(
        store,
        options ->
            options.withEngine(
                EngineOptions.defaults()
                    .withShards(1)
                    .withGrace(Duration.ZERO)
                    .withRetention(retention)));
  }

  @Test
  @Timeout(60)
  void a_number_is_never_given_twice_and_the_registry_stays() throws Exception {
    MemoryStore store = new MemoryStore();
    try (Desk desk = open(store, Duration.ZERO).rule("sure", Desk.SURE).graph(STEP)) {
      for (int i = 0; i < 5; i++) {
        desk.end(desk.start("A", Map.of()));
      }
    }
    try (Desk _ = open(store, Duration.ofMillis(20))) {
      while (store.record(SessionKey.of(Desk.ME, 4).caseId()).isPresent()) {
        Thread.sleep(10);
      }
      Thread.sleep(100);
    }

    try (Desk desk = open(store, Duration.ZERO)) {
      assertThat(desk.sessions.registry().find(Kind.RULE, "sure")).isPresent();
      assertThat(desk.sessions.registry().find(Kind.GRAPH, "g")).isPresent();
      assertThat(desk.sessions.list(Desk.ME, 10)).containsExactly(SessionKey.of(Desk.ME, 5));
      SessionKey next = desk.start("A", Map.of());
      assertThat(next.number()).isEqualTo(6);
      desk.end(next);
    }
  }

  @Test
  void the_number_of_a_session_that_was_removed_because_it_was_corrupt_is_not_reused()
      throws Exception {
    MemoryStore store = new MemoryStore();
    try (Desk desk = open(store, Duration.ZERO).rule("sure", Desk.SURE).graph(STEP)) {
      desk.end(desk.start("A", Map.of()));
      desk.end(desk.start("A", Map.of()));
    }
    String last = SessionKey.of(Desk.ME, 2).caseId();
    store.commit(new CommitBatch(List.of(), List.of(), List.of(last))).join();

    try (Desk desk = open(store.reopened(), Duration.ZERO)) {
      assertThat(desk.sessions.list(Desk.ME, 1)).containsExactly(SessionKey.of(Desk.ME, 1));
      assertThat(desk.sessions.list(null, 10)).containsExactly(SessionKey.of(Desk.ME, 1));
      assertThat(desk.start("A", Map.of()).number()).isEqualTo(3);
    }
  }

  @Test
  void retention_removes_the_rows_of_sessions_with_their_cases_and_no_others() throws Exception {
    MemoryStore store = new MemoryStore();
    try (Desk desk = open(store, Duration.ZERO).rule("sure", Desk.SURE).graph(STEP)) {
      for (int i = 0; i < 3; i++) {
        desk.end(desk.start("A", Map.of()));
      }
    }
    List<TableRow> graphs = store.table().rows("graph", null, 9);
    List<TableRow> rules = store.table().rows("rule", null, 9);
    try (Desk _ = open(store.reopened(), Duration.ofMillis(1))) {
      while (store.ids("session:").size() > 1) {
        LockSupport.parkNanos(100_000);
      }
    }

    assertThat(store.table().rows("session", null, 9))
        .extracting(TableRow::version)
        .containsExactly(3L);
    assertThat(store.table().rows("process", null, 99))
        .extracting(TableRow::key)
        .isNotEmpty()
        .containsOnly(SessionKey.of(Desk.ME, 3).caseId());
    assertThat(store.table().rows("graph", null, 9)).isNotEmpty().isEqualTo(graphs);
    assertThat(store.table().rows("rule", null, 9)).isNotEmpty().isEqualTo(rules);
  }

  @Test
  void unchanged_documents_keep_their_version_whoever_puts_them() {
    try (Desk desk = new Desk().rule("sure", Desk.SURE).graph(STEP)) {
      Registry registry = desk.sessions.registry();

      registry.putRule(Desk.ME, "sure", " {\"payload\":{} } ");
      registry.ensureRule("bob", "sure", Desk.SURE);
      desk.graph(STEP);

      assertThat(registry.find(Kind.RULE, "sure").orElseThrow())
          .extracting(RegistryEntry::version, RegistryEntry::owner)
          .containsExactly(1L, Desk.ME);
      assertThat(registry.find(Kind.GRAPH, "g").orElseThrow().version()).isEqualTo(1);
      assertThatThrownBy(() ->
              registry.ensureRule("bob", "sure", "{\"payload\": {}, \"rules\": [\"1 == 1\"]}"))
          .hasMessageContaining("only the owner");
    }
  }

  @Test
  void an_owner_that_is_an_address_is_the_same_in_any_case() throws Exception {
    String lower = MIXED.toLowerCase(java.util.Locale.ROOT);
    MemoryStore store = new MemoryStore();
    try (Desk desk = new Desk(store, options -> options)) {
      desk.sessions.registry().putRule(MIXED, "sure", Desk.SURE);
      desk.sessions.registry().putGraph(lower, "{\"id\": \"g\", \"structure\": {" + STEP + "}}");
      desk.end(desk.sessions.start(SessionStart.of(MIXED, "g", "A", Map.of())));
    }
    try (Desk desk = new Desk(store, options -> options)) {
      SessionKey second = desk.sessions.start(SessionStart.of(lower, "g", "A", Map.of()));
      desk.end(second);

      assertThat(second.number()).isEqualTo(2);
      assertThat(desk.sessions.view(SessionKey.of(lower, 1)).processes()).hasSize(1);
      assertThat(desk.sessions.list(lower, 10)).hasSize(2);
      desk.sessions.registry().addExecutor(MIXED, "g", "bob");
    }
  }
}
