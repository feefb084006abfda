package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class EventStreamTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
  }

  @AfterEach
  void close() {
    served.close();
    client.close();
  }

  /// One event.
  private record Event(String id, String name, String data) {}

  /// An open stream.
  private final class Stream implements AutoCloseable {
    private final HttpResponse<java.io.InputStream> response;
    private final BufferedReader lines;

    Stream(String token, String path, String last) throws IOException, InterruptedException {
      HttpRequest.Builder request = served.request(token, path);
      if (!last.isEmpty()) {
        request.header("Last-Event-ID", last);
      }
      this.response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      this.lines =
          new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    Event next() throws IOException {
      String id = "";
      String name = "";
      String data = "";
      while (true) {
        String line = lines.readLine();
        if (line == null) {
          return new Event("", "end", "");
        }
        if (line.startsWith("id: ")) {
          id = line.substring(4);
        } else if (line.startsWith("event: ")) {
          name = line.substring(7);
        } else if (line.startsWith("data: ")) {
          data = line.substring(6);
        } else if (line.isEmpty() && !name.isEmpty()) {
          return new Event(id, name, data);
        }
      }
    }

    @Override
    public void close() throws IOException {
      lines.close();
    }
  }

  @Test
  void a_case_streams_each_revision_once_and_resumes_after_the_last_one_seen() throws Exception {
    List<String> ids = new ArrayList<>();
    long now = served.engine.status("order-2").revision();
    try (Stream stream = new Stream(served.viewer, "/v1/cases/order-2/events", "")) {
      ids.add(stream.next().id());
      served.engine.completeTask("order-2", "ship", Map.of());
      ids.add(stream.next().id());
    }
    served.engine.signal("order-2", "approved", Map.of());
    served.engine.completeTask("order-2", "thank", Map.of());
    long last = served.engine.status("order-2").revision();
    try (Stream stream = new Stream(served.viewer, "/v1/cases/order-2/events", ids.getLast())) {
      for (long each = Long.parseLong(ids.getLast()); each < last; each++) {
        ids.add(stream.next().id());
      }
    }

    List<String> expected = new ArrayList<>();
    for (long each = now; each <= last; each++) {
      expected.add(String.valueOf(each));
    }
    assertThat(ids).isEqualTo(expected);
  }

  @Test
  void all_cases_stream_what_a_token_may_see_and_resume_at_a_cursor() throws Exception {
    String cursor;
    try (Stream stream = new Stream(served.limited, "/v1/events", "")) {
      served.engine.cancel("covert-1");
      served.engine.cancel("order-3");
      Event event = stream.next();
      cursor = event.id();
      assertThat(event.data()).contains("order-3").doesNotContain("covert");
    }
    served.engine.cancel("order-4");
    try (Stream stream = new Stream(served.limited, "/v1/events", cursor)) {
      Event event = stream.next();
      while (event.data().contains("order-3")) {
        event = stream.next();
      }
      assertThat(event.data()).contains("order-4");
    }
  }

  @Test
  void a_cursor_of_another_start_of_the_server_is_gone() {
    String old =
        java.util.Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString("deadbeef\n1".getBytes(StandardCharsets.UTF_8));

    var gone =
        served.send(
            served.request(served.admin, "/v1/events").header("Last-Event-ID", old).build());
    var bad =
        served.send(
            served.request(served.admin, "/v1/events").header("Last-Event-ID", "%%%").build());

    assertThat(gone.status()).isEqualTo(410);
    assertThat(bad.status()).isEqualTo(400);
  }

  @Test
  void a_stream_ends_with_its_token() throws Exception {
    String token =
        served.tokens.issue(
            new Caller(
                "short",
                Role.VIEWER,
                Caller.ALL,
                Caller.ALL,
                false,
                Optional.of(Instant.now().plusMillis(1_500))));
    try (Stream stream = new Stream(token, "/v1/cases/order-5/events", "")) {
      assertThat(stream.next().name()).isEqualTo("revision");
      assertThat(stream.next().name()).isEqualTo("end");
    }
  }

  @Test
  void seven_streams_of_one_client_are_open_at_once_and_all_receive() throws Exception {
    List<Stream> all = new ArrayList<>();
    try {
      for (int i = 0; i < 7; i++) {
        all.add(new Stream(served.viewer, "/v1/events", ""));
      }
      served.engine.cancel("order-6");
      for (Stream each : all) {
        String data = each.next().data();
        while (!data.contains("order-6")) { // other cases move as well
          data = each.next().data();
        }
      }
    } finally {
      for (Stream each : all) {
        each.close();
      }
    }
  }
}
