package dev.damask.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The service as a process of its own, killed while an order waits.
final class KilledServiceTest {
  @TempDir Path directory;

  @Test
  @Timeout(180)
  void an_order_survives_a_killed_service() throws Exception {
    try (Service first = new Service(directory, "first")) {
      assertThat(first.send("PUT", "/orders/42", "{\"item\": \"loom\", \"price\": 4200}"))
          .contains("\"id\":\"42\"");
      first.awaitBody("/orders/42", "approved");
      assertThat(first.send("GET", "/damask/", "")).contains("<title>Damask</title>");
      assertThat(first.send("GET", "/damask/v1/cases", "")).contains("\"id\": \"42\"");
      first.kill();
    }

    try (Service second = new Service(directory, "second")) {
      assertThat(second.send("GET", "/orders/42", "")).contains("waiting");
      assertThat(second.send("POST", "/orders/42/approval", "{\"by\": \"eve\"}"))
          .isEqualTo("{\"item\":\"loom\",\"approvedBy\":\"eve\"}");
      assertThat(second.send("GET", "/actuator/health", ""))
          .contains("\"damask\":{", "\"missingPrograms\":0");
      assertThat(second.send("GET", "/actuator/metrics/damask.effects", ""))
          .contains("Calls of effect handlers");
    }
    try (var files = Files.list(directory.resolve("shop"))) {
      assertThat(files.map(KilledServiceTest::read))
          .containsExactlyInAnyOrder("charged 4200", "shipped loom");
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /// One life of the service.
  private static final class Service implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final HttpClient client = HttpClient.newHttpClient();
    private final Process process;
    private final int port;
    private final Path log;

    Service(Path directory, String life) throws IOException, InterruptedException {
      log = directory.resolve(life + ".log");
      try (ServerSocket free = new ServerSocket(0)) {
        port = free.getLocalPort();
      }
      process =
          new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "--enable-native-access=ALL-UNNAMED",
                      "-cp",
                      System.getProperty(
                          "surefire.test.class.path", System.getProperty("java.class.path")),
                      OrdersApplication.class.getName(),
                      "--server.port=" + port))
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      awaitBody("/actuator/health", "UP");
    }

    /// Kills the process as `kill -9` does.
    void kill() throws InterruptedException {
      process.destroyForcibly();
      process.waitFor();
    }

    String send(String method, String path, String body) throws IOException, InterruptedException {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
              .method(method, BodyPublishers.ofString(body))
              .header("Content-Type", "application/json")
              .build();
      HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
      return response.body();
    }

    /// Asks until the answer contains a text; the test's time limit ends it.
    void awaitBody(String path, String text) throws IOException, InterruptedException {
      while (true) {
        try {
          if (send("GET", path, "").contains(text)) {
            return;
          }
        } catch (java.net.ConnectException e) {
          assertThat(process.isAlive()).as(() -> "the service runs: " + read(log)).isTrue();
        }
        process.waitFor(PAUSE.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS);
      }
    }

    @Override
    public void close() {
      process.destroy();
      process.onExit().join();
    }
  }
}
