package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/// Views, lists, logs and queries of sessions that are not in memory leave them there.
final class SessionReadingTest {
  private static final int SESSIONS = 40;
  private static final String ODD_OWNER = "Eve & Sons";

  @Test
  void reading_sessions_keeps_them_out_of_memory() throws InterruptedException {
    MemoryStore store = new MemoryStore();
    List<SessionKey> keys = new ArrayList<>();
    try (Desk desk = new Desk(store, options -> options)) {
      desk.rule(
              "late", "{\"payload\": {}, \"onValid\": {\"waitSec\": 600, \"payload\": {\"n\": 1}}}")
          .rule("r", "{\"payload\": {}}")
          .graph(
              """
              "A": {"rule": "late", "onValid": {"spawns": ["B"]}}, "B": {"rule": "r"}
              """);
      for (int i = 0; i < SESSIONS; i++) {
        String owner = i % 4 == 0 ? ODD_OWNER : Desk.ME;
        SessionStart start = SessionStart.of(owner, "g", "A", Map.of("i", (long) i)).by(Desk.ME);
        SessionKey key = desk.sessions.start(start);
        keys.add(key);
        desk.rest(key);
      }
    }
    store.reopened();
    try (Desk desk = new Desk(store, options -> options)) {
      assertThat(desk.sessions.list(null, SESSIONS)).containsExactlyInAnyOrderElementsOf(keys);
      assertThat(desk.sessions.list(ODD_OWNER, SESSIONS)).hasSize(SESSIONS / 4);
      for (SessionKey key : keys) {
        SessionView view = desk.sessions.view(key);
        assertThat(view.status()).isEqualTo(CaseStatus.WAITING);
        assertThat(view.at("B"))
            .extracting(ProcessInstance::payload)
            .containsExactly(Map.of("n", 1L));
        assertThat(desk.story(key)).containsExactly("A:valid");
      }
      assertThat(desk.sessions.queries().wakeTargets(Desk.ME, SESSIONS))
          .hasSize(SESSIONS - SESSIONS / 4);
      assertThat(desk.sessions.queries().processes(Desk.ME, 0, 0, 5)).hasSize(5);

      assertThat(desk.sessions.engine().statistics().resident()).isZero();
    }
  }

  @Test
  void opening_reads_no_session_and_a_list_by_owner_neither() throws InterruptedException {
    MemoryStore memory = new MemoryStore();
    try (Desk desk = new Desk(memory, options -> options)) {
      desk.rule("r", "{\"payload\": {}}").graph("\"A\": {\"rule\": \"r\"}");
      for (int i = 0; i < 12; i++) {
        desk.end(desk.start("A", Map.of()));
      }
    }
    memory.reopened();
    List<String> read = new CopyOnWriteArrayList<>();
    Store store =
        (Store)
            Proxy.newProxyInstance(
                Store.class.getClassLoader(),
                new Class<?>[] {Store.class},
                (_, method, arguments) -> {
                  if (List.of("load", "record", "list").contains(method.getName())) {
                    read.add(method.getName() + " " + arguments[0]);
                  }
                  return method.invoke(memory, arguments);
                });
    try (Desk desk = new Desk(store, options -> options)) {
      assertThat(desk.sessions.nextNumber(Desk.ME)).isEqualTo(13);
      assertThat(desk.sessions.list(Desk.ME, 3))
          .extracting(SessionKey::number)
          .containsExactly(12L, 11L, 10L);
      assertThat(desk.sessions.list("nobody", 3)).isEmpty();

      assertThat(read).isEmpty();
    }
  }

  @Test
  void a_list_of_five_thousand_sessions_of_an_owner_keeps_them_out_of_memory() {
    MemoryStore store = new MemoryStore();
    int count = 5_000;
    try (Desk desk = new Desk(store, options -> options)) {
      desk.rule("late", "{\"payload\": {}, \"onValid\": {\"waitSec\": 600}}")
          .rule("r", "{\"payload\": {}}")
          .graph(
              "\"A\": {\"rule\": \"late\", \"onValid\": {\"spawns\": [\"B\"]}}, \"B\": {\"rule\":"
                  + " \"r\"}");
      List<CompletableFuture<SessionKey>> started = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        started.add(desk.sessions.startAsync(SessionStart.of(Desk.ME, "g", "A", Map.of())));
      }
      started.forEach(CompletableFuture::join);
    }
    store.reopened();
    try (Desk desk = new Desk(store, options -> options)) {
      assertThat(desk.sessions.list(Desk.ME, Integer.MAX_VALUE)).hasSize(count);
      assertThat(desk.sessions.list(null, count)).hasSize(count);

      assertThat(desk.sessions.engine().statistics().resident()).isZero();
    }
  }

  @Test
  void the_sessions_of_all_owners_are_listed_by_their_start() {
    try (Desk desk = new Desk()) {
      desk.rule("r", "{\"payload\": {}}").graph("\"A\": {\"rule\": \"r\"}");
      List<SessionKey> keys = new ArrayList<>();
      for (String owner : List.of("zoe", ODD_OWNER, Desk.ME, "zoe")) {
        SessionStart start = SessionStart.of(owner, "g", "A", Map.of()).by(Desk.ME);
        keys.addFirst(desk.sessions.start(start));
        desk.clock.advance(10);
      }

      assertThat(desk.sessions.list(null, 10)).isEqualTo(keys);
      assertThat(desk.sessions.list(null, 2)).isEqualTo(keys.subList(0, 2));
    }
  }
}
