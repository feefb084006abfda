package dev.damask.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Streams;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class ServeCommandTest {
  @TempDir private Path folder;

  /// Waits until a text is printed.
  private static String until(StringWriter out, String wanted) {
    while (!out.toString().contains(wanted)) {
      LockSupport.parkNanos(100_000);
    }
    return out.toString();
  }

  private static HttpResponse<String> get(String token, String url) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(url))
              .header("Authorization", "Bearer " + token)
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void serve_registers_documents_again_when_they_change_and_prints_a_link() throws Exception {
    Path document = folder.resolve("order.yaml");
    Path token = folder.resolve("token");
    Files.writeString(document, "workflow: order\ndo:\n  - task: ship\n");
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Streams streams = new Streams(new PrintWriter(out, true), new PrintWriter(err, true), false);
    Thread serving =
        Thread.ofPlatform()
            .start(() ->
                CommandTree.execute(
                    streams,
                    "serve",
                    folder.toString(),
                    "--store",
                    folder.resolve("store").toString(),
                    "--port",
                    "0",
                    "--token-file",
                    token.toString()));
    try {
      String link = until(out, "/#code=").lines().skip(1).findFirst().orElseThrow();
      String url = link.substring(0, link.indexOf("/#"));
      String admin = Files.readString(token);

      HttpResponse<String> page = get("", url + "/");
      HttpResponse<String> workflows = get(admin, url + "/v1/workflows");
      Files.writeString(document, "workflow: order\ndo:\n  - task: ship\n  - task: thank\n");
      until(err, "registered order");
      HttpResponse<String> changed = get(admin, url + "/v1/workflows/order");

      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
      assertThat(workflows.body()).contains("\"order\"");
      assertThat(changed.body()).contains("thank");
    } finally {
      serving.interrupt();
      serving.join();
    }
  }

  @Test
  void serve_refuses_what_it_cannot_use() {
    assertThat(Shell.damask("serve", "--jwt-issuer", "x").err()).contains("require each other");
    assertThat(Shell.damask("serve", "--tokens", folder.resolve("none").toString()).err())
        .contains("--tokens");
    assertThat(Shell.damask("serve", folder.resolve("none.yaml").toString(), "--port", "0").err())
        .contains("none.yaml");
  }
}
