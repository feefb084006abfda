package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.http.EgressGuard;
import dev.damask.rule.RuleSource;
import dev.damask.store.MemoryStore;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class HttpCallTest {
  private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

  private static EgressGuard open(String... hosts) {
    return EgressGuard.publicAnd(List.of(hosts));
  }

  /// Calls as a step does, and gives the failure or the body of the answer.
  private static String get(EgressGuard egress, String url) throws Exception {
    String rule =
        """
        {"payload": {}, "apiCalls": [{"name": "c", "method": "GET", "timeoutMs": 5000,
          "urlTemplate": "URL", "extractMap": {"v": {"type": "string", "value": "resp"}}}]}
        """
            .replace("URL", url.replace("[", "[[").replace("]", "]]"));
    SessionOptions options = SessionOptions.defaults().withEgress(egress);
    StepEffects effects =
        new StepEffects(
            new RuleSource.Cache(key -> rule),
            new SecretStore(_ -> Map.of()),
            options,
            SessionPorts.REAL);
    Context with = Context.of("rule", "r", "index", 0L);
    Map<String, ?> result =
        effects.call(
            new EffectCall(
                "case",
                new Effect(new EffectId(1), "A", 1, "api", "key"),
                Delivery.KEYED,
                with,
                with));
    return result.get("values") instanceof Map<?, ?> values
        ? String.valueOf(values.get("v"))
        : "nothing";
  }

  @Test
  void private_addresses_are_refused_in_every_spelling() {
    for (String host :
        List.of(
            "127.0.0.1",
            "localhost",
            "0.0.0.0",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[fd00::1]",
            "2130706433",
            "127.1")) {
      assertThatThrownBy(() -> get(open(), "http://" + host + "/"))
          .as(host)
          .isInstanceOf(EffectException.class);
    }
    for (String url : List.of("file:///etc/passwd", "ftp://x/", "http://u@127.0.0.1/", "x")) {
      assertThatThrownBy(() -> get(open(), url)).isInstanceOf(EffectException.class);
    }
  }

  @Test
  void redirects_are_followed_and_checked() throws Exception {
    try (StubServer server =
        new StubServer(line -> {
          String path = line.split(" ", -1)[1];
          int hop = Integer.parseInt(path.substring(1));
          return hop == 0
              ? StubServer.ok("\"done\"")
              : "HTTP/1.1 302 Found\r\nLocation: /" + (hop - 1) + "\r\nContent-Length: 0\r\n\r\n";
        })) {
      EgressGuard egress = open(server.host());

      assertThat(get(egress, "http://" + server.host() + "/3")).isEqualTo("done");
      assertThatThrownBy(() -> get(egress, "http://" + server.host() + "/4"))
          .hasMessageContaining("more than 3 redirects");
    }
    try (StubServer server =
        new StubServer(
            line -> "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/x\r\n\r\n")) {
      assertThatThrownBy(() -> get(open(server.host()), "http://" + server.host() + "/"))
          .hasMessageContaining("private address");
    }
  }

  @Test
  void an_answer_has_limits() throws Exception {
    List<String> bad =
        List.of(
            "HTTP/1.1 200 OK\r\n\r\n" + "x".repeat(1_048_576 + 1),
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nx",
            "HTTP/1.1 200 OK\r\nX: " + "x".repeat(70_000) + "\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
            "SSH-2.0\r\n\r\n");

    for (String answer : bad) {
      try (StubServer server = new StubServer(line -> answer)) {
        assertThatThrownBy(() -> get(open(server.host()), "http://" + server.host() + "/"))
            .isInstanceOf(EffectException.class);
      }
    }
  }

  @Test
  void a_step_calls_extracts_and_keeps_only_what_it_extracted() throws Exception {
    String body = "{\"price\": 7.5, \"big\": \"hidden\", \"s\": \"canary-1\"}";
    String chunk = Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n";
    try (StubServer server = new StubServer(line -> CHUNKED + chunk)) {
      String rule =
          """
          {"payload": {"pair": {"type": "string"}},
           "apiCalls": [{"name": "price", "method": "GET",
             "urlTemplate": "http://HOST/p?q=[pair]", "headers": {"X-Token": "[__secret]"},
             "extractMap": {
               "price": {"type": "double", "value": "resp.price"},
               "echo": {"type": "string", "value": "resp.s"},
               "none": {"type": "int64", "value": "resp.nothing", "default": 4}}}],
           "rules": ["[price] > 7.0", "[none] == 4"],
           "onValid": {"payload": {"price": "[price]"}}}
          """
              .replace("HOST", server.host());
      try (Desk desk =
          new Desk(new MemoryStore(), o -> o.withEgress(open(server.host())))
              .rule("a", rule)
              .graph("\"A\": {\"rule\": \"a\"}")) {
        SessionKey key = desk.start("A", Map.of("pair", "a&b c", "__secret", "canary-1"));
        desk.end(key);

        assertThat(desk.result(key)).isEqualTo(Map.of("price", 7.5));
        assertThat(server.heads.getFirst())
            .startsWith("GET /p?q=a%26b%20c HTTP/1.1\n")
            .contains("x-token: canary-1\n");
        String kept =
            desk.sessions.engine().receipts(key.caseId()).toString()
                + desk.sessions.engine().trace(key.caseId());
        assertThat(kept).doesNotContain("canary-1").doesNotContain("hidden").contains("7.5");
      }
    }
  }
}
