package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.registry.RegistryEntry;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionOptions;
import dev.damask.session.SessionStart;
import dev.damask.session.Sessions;
import dev.damask.store.CaseStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Orchestration sessions on two nodes.
@Timeout(120)
final class ClusterSessionsTest {
  private static final String ME = "me";
  private static final String RULE =
      """
      {"payload": {"n": {"type": "int64", "default": 0}},
       "onValid": {"payload": {"n": "([n] + 1)"}}}
      """;
  private static final String GRAPH =
      """
      {"id": "g", "structure": {"A": {"rule": "pass", "onValid": {"spawns": ["B"]}},
        "B": {"rule": "pass"}}}
      """;

  private final TestNodes nodes = new TestNodes();
  private final List<Sessions> open = new ArrayList<>();

  @AfterEach
  void close() {
    open.forEach(Sessions::close);
    nodes.close();
  }

  private Sessions open() {
    Sessions sessions =
        Sessions.open(
            SessionOptions.defaults().withEngine(TestNodes.engineOptions()),
            PostgresCluster.of(TestServer.source(), nodes.options).join());
    open.add(sessions);
    return sessions;
  }

  private static void expectEnd(Sessions sessions, SessionKey key) throws InterruptedException {
    sessions.engine().await(key.caseId(), Duration.ofSeconds(40));
    assertThat(sessions.view(key).status()).as("%s", key).isEqualTo(CaseStatus.COMPLETED);
    assertThat(sessions.view(key).result()).isEqualTo(Map.of("n", 2L));
  }

  @Test
  void sessions_of_one_owner_get_different_numbers_on_both_nodes_and_run() throws Exception {
    Sessions one = open();
    Sessions two = open();
    nodes.awaitBalance(2);
    one.registry().putRule(ME, "pass", RULE);
    one.registry().putGraph(ME, GRAPH);

    List<CompletableFuture<SessionKey>> started = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      started.add(one.startAsync(SessionStart.of(ME, "g", "A", Map.of())));
      started.add(two.startAsync(SessionStart.of(ME, "g", "A", Map.of())));
    }

    Set<Long> numbers = new HashSet<>();
    for (CompletableFuture<SessionKey> each : started) {
      SessionKey key = each.join();
      numbers.add(key.number());
      expectEnd(one, key);
      expectEnd(two, key);
    }
    assertThat(numbers)
        .containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L);
  }

  @Test
  void secrets_of_a_session_are_not_those_of_another_node_s_session() throws Exception {
    Sessions one = open();
    Sessions two = open();
    nodes.awaitBalance(2);
    one.registry().putRule(ME, "read", "{\"payload\": {}, \"rules\": [\"[__secret1] == [own]\"]}");
    one.registry().putGraph(ME, "{\"id\": \"s\", \"structure\": {\"A\": {\"rule\": \"read\"}}}");

    List<CompletableFuture<SessionKey>> ofOne = new ArrayList<>();
    List<CompletableFuture<SessionKey>> ofTwo = new ArrayList<>();
    for (int i = 0; i < 6; i++) { // both nodes give the same number, and one of them gives another
      ofOne.add(one.startAsync(SessionStart.of(ME, "s", "A", secret("secret of one"))));
      ofTwo.add(two.startAsync(SessionStart.of(ME, "s", "A", secret("secret of two"))));
    }

    for (CompletableFuture<SessionKey> each : ofOne) {
      two.provide(each.join(), Map.of("__secret1", "secret of one"));
      expectValid(one, each.join());
    }
    for (CompletableFuture<SessionKey> each : ofTwo) {
      one.provide(each.join(), Map.of("__secret1", "secret of two"));
      expectValid(two, each.join());
    }
  }

  private static Map<String, String> secret(String value) {
    return Map.of("__secret1", value, "own", value);
  }

  private static void expectValid(Sessions sessions, SessionKey key) throws InterruptedException {
    sessions.engine().await(key.caseId(), Duration.ofSeconds(40));
    assertThat(sessions.log(key, _ -> true))
        .extracting(line -> line.step() + ":" + line.outcome())
        .as("%s", key)
        .containsExactly("A:valid");
  }

  @Test
  void changes_of_the_registry_on_two_nodes_at_once_are_all_kept() {
    Sessions one = open();
    Sessions two = open();
    one.registry().putGraph(ME, GRAPH);

    List<CompletableFuture<RegistryEntry>> added = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      String first = "a" + i;
      String second = "b" + i;
      added.add(CompletableFuture.supplyAsync(() -> one.registry().addExecutor(ME, "g", first)));
      added.add(CompletableFuture.supplyAsync(() -> two.registry().addExecutor(ME, "g", second)));
    }
    added.forEach(CompletableFuture::join);

    two.registry().refresh(RegistryEntry.Kind.GRAPH, "g");
    assertThat(two.registry().find(RegistryEntry.Kind.GRAPH, "g").orElseThrow().executors())
        .containsExactlyInAnyOrder("a0", "a1", "a2", "a3", "a4", "b0", "b1", "b2", "b3", "b4");
    TestNodes.await(
        () ->
            one.registry().find(RegistryEntry.Kind.GRAPH, "g").orElseThrow().executors().size()
                == 10,
        () -> "the other node sees the changes by itself");
  }
}
