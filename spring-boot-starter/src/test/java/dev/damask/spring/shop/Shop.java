package dev.damask.spring.shop;

import dev.damask.cases.Engine;
import dev.damask.store.CaseStatus;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/// The application while it runs.
public final class Shop implements AutoCloseable {
  private final ConfigurableApplicationContext context;

  private Shop(ConfigurableApplicationContext context) {
    this.context = context;
  }

  /// Starts it with further properties.
  public static Shop start(String... properties) {
    List<String> all =
        new ArrayList<>(
            List.of("server.port=0", "damask.store=memory", "spring.main.banner-mode=off"));
    all.addAll(List.of(properties));
    return new Shop(
        new SpringApplicationBuilder(ShopApplication.class)
            .web(WebApplicationType.SERVLET)
            .properties(all.toArray(String[]::new))
            .run());
  }

  /// Returns its engine.
  public Engine engine() {
    return context.getBean(Engine.class);
  }

  /// Starts an order.
  public Shop order(String id) {
    engine().start(context.getBean("order", WorkflowDefinition.class), id, Context.empty());
    return this;
  }

  /// Returns what became of an order.
  public CaseStatus status(String id) {
    return engine().record(id).orElseThrow().status();
  }

  /// Returns the address of a path.
  public URI at(String path) {
    return URI.create(
        "http://localhost:" + context.getEnvironment().getProperty("local.server.port") + path);
  }

  /// Returns a client without a user.
  public Client client() {
    return new Client("");
  }

  /// Returns a client that sends a name and the same password with each request.
  public Client as(String name) {
    return new Client(name);
  }

  @Override
  public void close() {
    context.close();
  }

  /// A client that keeps cookies.
  public final class Client {
    private final HttpClient http =
        HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    private final String name;

    private Client(String name) {
      this.name = name;
    }

    private HttpRequest request(String method, String path, String body, String... headers) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(at(path))
              .timeout(Duration.ofSeconds(30))
              .method(method, BodyPublishers.ofString(body));
      if (!name.isEmpty()) {
        byte[] both = (name + ":" + name).getBytes(StandardCharsets.UTF_8);
        request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(both));
      }
      for (int i = 0; i < headers.length; i += 2) {
        request.header(headers[i], headers[i + 1]);
      }
      return request.build();
    }

    /// Reads.
    public HttpResponse<String> get(String path, String... headers)
        throws IOException, InterruptedException {
      return http.send(request("GET", path, "", headers), BodyHandlers.ofString());
    }

    /// Sends JSON.
    public HttpResponse<String> post(String path, String body, String... headers)
        throws IOException, InterruptedException {
      HttpRequest plain = request("POST", path, body, headers);
      HttpRequest.Builder request = HttpRequest.newBuilder(plain, (_, _) -> true);
      if (plain.headers().firstValue("Content-Type").isEmpty()) {
        request.header("Content-Type", "application/json");
      }
      return http.send(request.build(), BodyHandlers.ofString());
    }

    /// Returns the lines of an answer as they arrive.
    public Stream<String> lines(String path, String... headers)
        throws IOException, InterruptedException {
      return http.send(request("GET", path, "", headers), BodyHandlers.ofLines()).body();
    }
  }
}
