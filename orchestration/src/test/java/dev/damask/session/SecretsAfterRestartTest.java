package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.store.CaseStatus;
import dev.damask.store.StoreProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Secrets are in memory only: a session that had some waits for them when it is opened again.
final class SecretsAfterRestartTest {
  private static final Map<String, String> SECRETS = Map.of("__secret1", "hunter22");

  @TempDir Path folder;

  private Desk open(Function<SessionKey, Map<String, String>> source) {
    StoreProvider provider = ServiceLoader.load(StoreProvider.class).findFirst().orElseThrow();
    return new Desk(provider.open(folder.resolve("store")), options -> options.withSecrets(source));
  }

  /// A session whose second step reads a secret and is due after a minute.
  private SessionKey left() {
    try (Desk desk = open(_ -> Map.of())) {
      desk.rule(
          "open", "{\"payload\": {}, \"rules\": [\"[__secret1] == 'hunter22' && [who] == 'me'\"]}");
      desk.rule(
          "arm",
          "{\"payload\": {}, \"onValid\": {\"payload\": {\"who\": \"me\"}, \"waitSec\": 60}}");
      desk.graph(
          "\"A\": {\"rule\": \"arm\", \"onValid\": {\"spawns\": [\"B\"]}},"
              + " \"B\": {\"rule\": \"open\"}");
      SessionKey key = desk.start("A", Map.of("__secret1", "hunter22"));
      desk.until(key, view -> view.processes().size() == 2);
      return key;
    }
  }

  @Test
  void it_is_not_evaluated_before_they_are_given_again() throws Exception {
    SessionKey key = left();
    try (Desk desk = open(_ -> Map.of())) {
      desk.clock.advance(60_000);
      SessionView view = desk.rest(key);

      assertThat(view.lacking()).isEqualTo(Map.of("B", List.of("__secret1")));
      assertThat(view.status()).isEqualTo(CaseStatus.WAITING);
      assertThat(desk.story(key)).containsExactly("A:valid");
    }
    try (Desk desk = open(_ -> Map.of())) { // it still waits
      assertThat(desk.rest(key).lacking()).containsOnlyKeys("B");

      desk.sessions.provide(key, SECRETS);
      desk.end(key);

      assertThat(desk.story(key)).containsExactly("A:valid", "B:valid");
      assertThat(desk.sessions.view(key).lacking()).isEmpty();
      assertThat(desk.sessions.engine().receipts(key.caseId()).toString())
          .contains("secrets")
          .doesNotContain("hunter22");
    }
  }

  @Test
  void somebody_may_know_them_when_it_is_opened() throws Exception {
    SessionKey key = left();
    try (Desk desk = open(asked -> asked.equals(key) ? SECRETS : Map.of())) {
      desk.clock.advance(60_000);
      desk.end(key);

      assertThat(desk.story(key)).containsExactly("A:valid", "B:valid");
      assertThat(desk.sessions.engine().receipts(key.caseId())).hasSize(1);
    }
  }

  @Test
  void a_source_that_fails_is_no_reason_to_go_on_without_them() throws Exception {
    SessionKey key = left();
    AtomicInteger asked = new AtomicInteger();
    Function<SessionKey, Map<String, String>> broken =
        _ -> {
          asked.incrementAndGet();
          throw new IllegalStateException("nobody there");
        };
    try (Desk desk = open(broken)) {
      desk.clock.advance(60_000);
      desk.until(key, view -> view.lacking().containsKey("B") && asked.get() > 0);
      assertThat(desk.story(key)).containsExactly("A:valid");

      desk.sessions.provide(key, SECRETS);
      desk.end(key);

      assertThat(desk.story(key)).containsExactly("A:valid", "B:valid");
    }
  }

  @Test
  void a_secret_that_is_none_is_not_taken_from_the_source() throws Exception {
    SessionKey key = left();
    try (Desk desk = open(_ -> Map.of("__secret1", "two\nlines"))) {
      desk.clock.advance(60_000);

      assertThat(desk.rest(key).lacking()).containsOnlyKeys("B");
      assertThat(desk.story(key)).containsExactly("A:valid");
    }
  }

  @Test
  void a_start_that_fails_leaves_no_secret_to_the_next_session() throws Exception {
    try (Desk desk = open(_ -> Map.of())) {
      desk.rule(
          "open",
          "{\"payload\": {\"__secret1\": {\"type\": \"string\", \"default\": \"none\"}},"
              + " \"rules\": [\"[__secret1] == 'hunter22'\"]}");
      desk.graph("\"A\": {\"rule\": \"open\"}");
      String large = "x".repeat(8 << 20);
      assertThatThrownBy(() -> desk.start("A", Map.of("__secret1", "hunter22", "large", large)))
          .isInstanceOf(IllegalArgumentException.class);

      SessionKey key = desk.start("A", Map.of());
      desk.end(key);

      assertThat(key.number()).isOne();
      assertThat(desk.story(key)).containsExactly("A:invalid");
    }
  }
}
