package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.api.Problem;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What a server with a public URL accepts.
final class HostRulesTest {
  private final HostRules rules =
      new HostRules(Optional.of(URI.create("https://damask.example:8443")));

  private void refused(Problem.Kind kind, Map<String, String> headers) {
    assertThatThrownBy(() -> rules.require(headers))
        .as(headers.toString())
        .isInstanceOfSatisfying(Problem.class, e -> assertThat(e.kind()).isEqualTo(kind));
  }

  @Test
  void the_public_host_and_its_pages_are_accepted_beside_loopback() {
    for (Map<String, String> each :
        java.util.List.of(
            Map.of("host", "damask.example:8443"),
            Map.of("host", "DAMASK.example:8443", "origin", "https://damask.example:8443"),
            Map.of("host", "127.0.0.1:8470", "origin", "http://127.0.0.1:8470"))) {
      assertThatCode(() -> rules.require(each)).as(each.toString()).doesNotThrowAnyException();
    }
  }

  @Test
  void other_hosts_ports_and_schemes_are_refused() {
    refused(Problem.Kind.WRONG_HOST, Map.of("host", "damask.example"));
    refused(Problem.Kind.WRONG_HOST, Map.of("host", "damask.example:8443.evil.example"));
    refused(Problem.Kind.WRONG_HOST, Map.of("host", "evil.damask.example:8443"));
    refused(
        Problem.Kind.WRONG_ORIGIN,
        Map.of("host", "damask.example:8443", "origin", "http://damask.example:8443"));
    refused(
        Problem.Kind.WRONG_ORIGIN,
        Map.of("host", "damask.example:8443", "origin", "https://damask.example"));
    refused(Problem.Kind.WRONG_ORIGIN, Map.of("host", "damask.example:8443", "origin", "null"));
  }
}
