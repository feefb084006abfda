package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.registry.RegistryEntry;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.store.StoreProvider;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sessions and the registry on a folder, opened more than once.
final class RestartTest {
  @TempDir Path folder;

  private Desk open() {
    StoreProvider provider = ServiceLoader.load(StoreProvider.class).findFirst().orElseThrow();
    return new Desk(provider.open(folder.resolve("store")), options -> options);
  }

  @Test
  void a_session_goes_on_after_a_restart_and_keeps_its_graph_and_its_log() throws Exception {
    SessionKey key;
    String structure =
        """
        "A": {"rule": "arm", "onValid": {"spawns": ["G", "H"], "join": {"joinid": "J",
              "mode": "all", "from": [{"node": "G"}, {"node": "H"}]}}},
        "G": {"rule": "pass"}, "H": {"rule": "pass"}, "J": {"rule": "pass"}
        """;
    try (Desk desk = open()) {
      desk.rule(
          "arm", "{\"payload\": {}, \"onValid\": {\"payload\": {\"n\": 1}, \"waitSec\": 60}}");
      desk.rule("pass", SessionsTest.PASS).graph(structure);
      key = desk.start("A", Map.of());
      desk.until(key, view -> view.processes().size() == 4);
      desk.graph("\"Other\": {\"rule\": \"pass\"}");
    }

    try (Desk desk = open()) {
      assertThat(desk.sessions.view(key).at("G").getFirst().status()).isEqualTo(Status.WAITING);
      assertThat(desk.sessions.nextNumber(Desk.ME)).isEqualTo(2);
      assertThat(
              desk.sessions.registry().find(RegistryEntry.Kind.GRAPH, "g").orElseThrow().version())
          .isEqualTo(2);
      desk.clock.advance(60_000);
      desk.end(key);

      assertThat(desk.story(key)).containsExactly("A:valid", "G:valid", "H:valid", "J:valid");
      assertThat(desk.result(key)).isEqualTo(Map.of("n", 3L));
      assertThat(desk.sessions.engine().verify()).isEmpty();
    }
  }
}
