package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.check.Diagnostic;
import dev.damask.http.EgressGuard;
import dev.damask.registry.Orchestration;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.store.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The examples, as a reader would run them.
final class ExamplesTest {
  private static final Path EXAMPLES = Path.of("..", "examples");

  private static Orchestration read(String name, String port) throws IOException {
    Map<String, String> rules = new TreeMap<>();
    try (Stream<Path> files = Files.list(EXAMPLES.resolve(name).resolve("rules"))) {
      for (Path file : files.toList()) {
        String key = file.getFileName().toString().replace(".json", "");
        rules.put(key, Files.readString(file).replace("8099", port));
      }
    }
    return new Orchestration(Files.readString(EXAMPLES.resolve(name).resolve("graph.json")), rules);
  }

  private static void put(Desk desk, Orchestration orchestration) {
    orchestration.rules().forEach(desk::rule);
    desk.sessions.registry().putGraph(Desk.ME, orchestration.graph());
  }

  private static boolean isWaiting(SessionView view, String step) {
    return view.at(step).stream().anyMatch(process -> process.status() == Status.WAITING);
  }

  @Test
  void an_order_is_shipped_rejected_or_runs_out_of_time() throws Exception {
    Orchestration order = read("order-approval", "8099");
    assertThat(order.check("Request", Set.of("order", "amount"))).noneMatch(Diagnostic::isError);
    try (Desk desk = new Desk()) {
      put(desk, order);
      Map<String, Object> start = Map.of("order", "o-1", "amount", 120);
      SessionKey yes = start(desk, start);
      SessionKey no = start(desk, start);
      SessionKey late = start(desk, start);
      SessionKey large = start(desk, Map.of("order", "o-2", "amount", 99_999));
      for (SessionKey key : new SessionKey[] {yes, no, late}) {
        desk.until(key, view -> isWaiting(view, "Decide"));
      }

      desk.sessions.wakeStep(Desk.ME, yes, "Decide", Map.of("decision", "yes"));
      desk.sessions.wakeStep(Desk.ME, no, "Decide", Map.of("decision", "no"));
      desk.end(yes);
      desk.end(no);
      desk.end(large);
      desk.clock.advance(172_800_000);
      desk.end(late);

      assertThat(desk.result(yes)).isEqualTo(Map.of("order", "o-1", "shipped", true));
      assertThat(desk.result(no).get("why")).isEqualTo("decision: no");
      assertThat(desk.result(late).get("why")).isEqualTo("decision: none");
      assertThat(desk.result(large).get("why")).isEqualTo("the amount is not allowed");
    }
  }

  private static SessionKey start(Desk desk, Map<String, Object> payload) {
    return desk.sessions.start(SessionStart.of(Desk.ME, "order-approval", "Request", payload));
  }

  @Test
  void a_feed_takes_a_quorum_of_two_and_loops() throws Exception {
    try (StubServer server =
        new StubServer(line ->
            StubServer.ok(
                line.contains("alpha")
                    ? "{\"price\": 100.0}"
                    : line.contains("beta") ? "{\"price\": 102.0}" : "{\"price\": 101.0}"))) {
      Orchestration feed = read("price-feed", Integer.toString(server.port()));
      assertThat(feed.check("Tick", Set.of("rounds"))).noneMatch(Diagnostic::isError);
      try (Desk desk =
          new Desk(
              new MemoryStore(),
              o -> o.withEgress(EgressGuard.publicAnd(List.of(server.host()))))) {
        put(desk, feed);
        SessionKey key =
            desk.sessions.start(
                SessionStart.of(Desk.ME, "price-feed", "Tick", Map.of("rounds", 3)));
        for (int round = 1; round <= 3; round++) {
          int rounds = round;
          desk.until(key, view -> view.at("Tick").size() == rounds + 1 && isWaiting(view, "Tick"));
          desk.clock.advance(60_000);
        }
        desk.end(key);

        assertThat(desk.sessions.log(key, line -> line.step().equals("Publish")))
            .hasSize(3)
            .allSatisfy(line -> {
              assertThat(line.outcome()).isEqualTo("valid");
              assertThat(line.body()).containsPattern("\"price\":10[01]\\.[05]");
            });
        assertThat(desk.sessions.view(key).at("Tick").getLast().status()).isEqualTo(Status.ABORTED);
      }
    }
  }
}
