package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.ClusterUrls;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.Streams;
import dev.damask.cluster.SharedStore;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `serve` on PostgreSQL: it owns nothing, and shows and changes the cases of other nodes.
@Timeout(120)
final class ServeClusterTest {
  @TempDir private Path folder;
  private EmbeddedPostgres server;
  private String url = "";
  private final HttpClient client = HttpClient.newHttpClient();

  @BeforeEach
  void start() throws IOException {
    server =
        EmbeddedPostgres.builder()
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("full_page_writes", "on")
            .start();
    url = "postgresql://postgres:postgres@localhost:%d/postgres".formatted(server.getPort());
    Shell created = damask("store", "init", url);
    assertThat(created.exit()).as(created.err()).isZero();
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
  }

  /// A server, until it is closed.
  private final class Serving implements AutoCloseable {
    private final Thread thread;
    private final String address;
    private final String token;

    Serving(String name) throws Exception {
      Path file = folder.resolve(name);
      StringWriter out = new StringWriter();
      StringWriter err = new StringWriter();
      Streams streams = new Streams(new PrintWriter(out, true), new PrintWriter(err, true), false);
      String[] line = {"serve", "--store", url, "--port", "0", "--token-file", file.toString()};
      thread = Thread.ofPlatform().start(() -> CommandTree.execute(streams, line));
      while (!out.toString().contains("/#code=")) {
        assertThat(thread.isAlive()).as(err::toString).isTrue();
        LockSupport.parkNanos(100_000);
      }
      String text = out.toString();
      int end = text.indexOf("/#code=");
      address = text.substring(text.lastIndexOf("http", end), end);
      token = Files.readString(file);
    }

    HttpRequest.Builder request(String path) {
      return HttpRequest.newBuilder(URI.create(address + path))
          .header("Authorization", "Bearer " + token);
    }

    HttpResponse<String> post(String path, String body, String... headers) throws Exception {
      HttpRequest.Builder request =
          request(path)
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(body));
      return client.send(
          headers.length == 0 ? request.build() : request.headers(headers).build(),
          HttpResponse.BodyHandlers.ofString());
    }

    BufferedReader events(String... headers) throws Exception {
      HttpRequest.Builder request = request("/v1/events");
      HttpResponse<java.io.InputStream> response =
          client.send(
              headers.length == 0 ? request.build() : request.headers(headers).build(),
              HttpResponse.BodyHandlers.ofInputStream());
      assertThat(response.statusCode()).isEqualTo(200);
      return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
      thread.interrupt();
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// Reads lines until one contains a text; returns the last id before it.
  private static String idBefore(BufferedReader events, String wanted) throws IOException {
    String id = "";
    while (true) {
      String line = events.readLine();
      assertThat(line).as("the stream ended before " + wanted).isNotNull();
      if (line.startsWith("id: ")) {
        id = line.substring(4);
      }
      if (line.contains(wanted)) {
        return id;
      }
    }
  }

  @Test
  void streams_show_cases_of_other_nodes_and_continue_at_another_server() throws Exception {
    SharedStore store = ClusterUrls.provider(url).nodeIfAlone(url);
    EngineOptions options =
        EngineOptions.defaults().withShards(1).withSources(new KeptDocuments(store, null));
    try (Engine _ = Engine.open(options, store);
        Serving one = new Serving("one");
        Serving two = new Serving("two")) {
      String document = "workflow: order\ndo:\n  - task: ship\n";
      HttpResponse<String> put =
          client.send(
              one.request("/v1/workflows/order")
                  .header("Content-Type", "text/yaml")
                  .PUT(HttpRequest.BodyPublishers.ofString(document))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
      String id;
      try (BufferedReader events = one.events()) {
        HttpResponse<String> first =
            two.post("/v1/cases", "{\"workflow\":\"order\",\"id\":\"a\"}", "Idempotency-Key", "k");
        HttpResponse<String> again =
            one.post("/v1/cases", "{\"workflow\":\"order\",\"id\":\"a\"}", "Idempotency-Key", "k");
        assertThat(first.statusCode()).as(first.body()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.statusCode()).isEqualTo(201);
        id = idBefore(events, "\"a\"");
        HttpResponse<String> stale = one.post("/v1/cases/a/cancel", "{}", "If-Match", "\"7\"");
        assertThat(stale.statusCode()).isEqualTo(412);
      }
      two.post("/v1/cases", "{\"workflow\":\"order\",\"id\":\"b\"}");

      try (BufferedReader events = two.events("Last-Event-ID", id)) {
        String line = events.readLine();
        while (!line.startsWith("data: ")) {
          line = events.readLine();
        }

        assertThat(line).contains("\"b\"");
      }
    }
  }

  @Test
  void nodes_are_the_same_at_the_server_and_in_the_database() throws Exception {
    EngineOptions options = EngineOptions.defaults().withShards(1);
    WorkflowDefinition order = workflow("order", defer(on("go", skip())));
    try (Engine before = Engine.open(options, ClusterUrls.provider(url).nodeIfAlone(url), order)) {
      before.start(order, "a", Context.empty());
    }
    try (Engine _ = Engine.open(options, ClusterUrls.provider(url).nodeIfAlone(url));
        Serving one = new Serving("one")) {
      Shell direct = damask("nodes", url, "--json");
      while (!direct.out().contains("1 case of workflow order waits for its program")) {
        assertThat(direct.exit()).as(direct.err()).isZero();
        LockSupport.parkNanos(1_000_000);
        direct = damask("nodes", url, "--json");
      }
      Shell served = damask("nodes", "--server", one.address, "--token", one.token, "--json");

      assertThat(direct.out())
          .contains("\"node\": 2", "\"missing\": [\"program missing on node 2", "\"held\": []");
      assertThat(beatless(served.out())).isEqualTo(beatless(direct.out()));
      assertThat(served.exit()).isZero();
    }
  }

  private static String beatless(String text) {
    return text.replaceAll("\"heartbeat\": [0-9]+", "");
  }
}
