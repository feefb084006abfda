package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.cases.Engine;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// One token cannot use up what all share.
@Timeout(60)
final class FairnessTest {
  private static final int STREAMS = 8;

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<InputStream> open = new ArrayList<>();
  private Engine engine;
  private DamaskServer server;
  private String greedy = "";
  private String other = "";

  @BeforeEach
  void start() {
    engine = Engine.open();
    ServerOptions options =
        ServerOptions.defaults()
            .withPort(0)
            .withLimits(new ServerOptions.Limits(1_000, 1_000, STREAMS));
    greedy = options.tokens().issue(Caller.of("greedy", Role.VIEWER));
    other = options.tokens().issue(Caller.of("other", Role.VIEWER));
    server = DamaskServer.start(engine, options);
  }

  @AfterEach
  void stop() throws IOException {
    for (InputStream each : open) {
      each.close();
    }
    client.close();
    server.close();
    engine.close();
  }

  /// Opens a stream and returns its status. A stream is open when its first line has come.
  private int stream(String token) throws Exception {
    HttpResponse<InputStream> response =
        client.send(
            HttpRequest.newBuilder(URI.create(server.url() + "/v1/events"))
                .header("Authorization", "Bearer " + token)
                .build(),
            HttpResponse.BodyHandlers.ofInputStream());
    if (response.statusCode() == 200) {
      assertThat(response.body().read()).isEqualTo('r');
      open.add(response.body());
    } else {
      response.body().close();
    }
    return response.statusCode();
  }

  @Test
  void a_token_that_opens_all_streams_it_can_leaves_some_to_others() throws Exception {
    int opened = 0;
    while (stream(greedy) == 200) {
      opened++;
      assertThat(opened).isLessThan(STREAMS);
    }

    assertThat(stream(greedy)).isEqualTo(429);
    assertThat(stream(other)).isEqualTo(200);
    assertThat(stream(other)).isEqualTo(200);
    assertThat(stream(other)).isEqualTo(429);
    assertThat(opened).isEqualTo(STREAMS - STREAMS / 4);
  }
}
