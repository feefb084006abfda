package dev.damask.cli.command;

import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonProblem;
import dev.damask.json.JsonReader;
import dev.damask.json.JsonWriter;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// A client of a Damask server. It throws [Refusal] if no server answers, if something else does,
/// or if the server does not accept the token, and [ServerProblem] for any other problem that the
/// server reports.
public final class ServerClient implements AutoCloseable {
  private static final JsonLimits LIMITS = JsonLimits.ofNumbers(512, 10_000, 100_000);
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration ANSWER = Duration.ofMinutes(2);
  private static final String JSON = "application/json";
  private static final String PROBLEM = "application/problem+json";

  private final URI base;
  private final String token;
  private final String shown;
  private final boolean isHeld;
  private final HttpClient http;

  private ServerClient(URI base, String token, String shown, boolean isHeld) {
    this.base = base;
    this.token = token;
    this.shown = shown;
    this.isHeld = isHeld;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER) // another host must not see the token
            .connectTimeout(CONNECT)
            .build();
  }

  /// Returns the client of a server. Throws [Refusal] if the URL is not one of a server.
  public static ServerClient of(String url, String token) {
    URI base;
    try {
      base = URI.create(url.endsWith("/") ? url.substring(0, url.length() - 1) : url);
    } catch (IllegalArgumentException e) {
      throw malformed(url);
    }
    String scheme = String.valueOf(base.getScheme()).toLowerCase(Locale.ROOT);
    boolean isUrl =
        (scheme.equals("http") || scheme.equals("https"))
            && base.getHost() != null
            && base.getRawUserInfo() == null
            && base.getRawQuery() == null
            && base.getRawFragment() == null;
    if (!isUrl) {
      throw malformed(url);
    }
    return new ServerClient(base, token, base.toString(), false);
  }

  private static Refusal malformed(String url) {
    return new Refusal(
        "--server '%s': not the URL of a server; expected one such as http://127.0.0.1:8470"
            .formatted(Lines.oneLine(url)));
  }

  /// Returns the client of the process that holds a store.
  static ServerClient held(URI base, String token, StoreFolder folder) {
    return new ServerClient(base, token, folder.toString(), true);
  }

  /// Returns whether this is the process that holds a store of this host.
  public boolean isHeld() {
    return isHeld;
  }

  /// Returns an object.
  public Map<String, @Nullable Object> get(String path, Map<String, String> query) {
    return object(send("GET", path, query, null, JSON));
  }

  /// Sends a change and returns the answer.
  public Map<String, @Nullable Object> post(String path, Map<String, ?> body) {
    return object(send("POST", path, Map.of(), JsonWriter.line(body), JSON));
  }

  /// Stores a document and returns the answer.
  public Map<String, @Nullable Object> put(String path, String yaml) {
    return object(send("PUT", path, Map.of(), yaml, "text/yaml"));
  }

  /// Stores a JSON text and returns the answer.
  public Map<String, @Nullable Object> putJson(
      String path, Map<String, String> query, String json) {
    return object(send("PUT", path, query, json, JSON));
  }

  /// Removes something.
  public Map<String, @Nullable Object> delete(String path) {
    return object(send("DELETE", path, Map.of(), null, JSON));
  }

  /// Returns content that is not JSON.
  public byte[] bytes(String path, Map<String, String> query) {
    return send("GET", path, query, null, JSON).body();
  }

  /// Returns text that is not JSON.
  public String text(String path, Map<String, String> query) {
    return new String(bytes(path, query), StandardCharsets.UTF_8);
  }

  /// Returns a segment of a path.
  public static String segment(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private URI address(String path, Map<String, String> query) {
    StringBuilder text = new StringBuilder(base + path);
    char mark = '?';
    for (Map.Entry<String, String> each : new TreeMap<>(query).entrySet()) {
      text.append(mark).append(segment(each.getKey())).append('=');
      text.append(segment(each.getValue()));
      mark = '&';
    }
    return URI.create(text.toString());
  }

  private HttpResponse<byte[]> send(
      String method, String path, Map<String, String> query, @Nullable String body, String type) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address(path, query))
            .timeout(ANSWER)
            .header("Authorization", "Bearer " + token)
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (body != null) {
      request.header("Content-Type", type);
    }
    try {
      return checked(http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray()));
    } catch (IOException e) {
      throw unreachable(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refusal(shown + ": the command was interrupted");
    }
  }

  private Refusal unreachable(IOException e) {
    String why =
        switch (e) {
          case HttpConnectTimeoutException _ ->
              "no connection within " + CONNECT.toSeconds() + " s";
          case HttpTimeoutException _ -> "no answer within " + ANSWER.toSeconds() + " s";
          case ConnectException none when none.getCause() instanceof UnresolvedAddressException ->
              "the host is unknown";
          case ConnectException _ -> "no server listens there";
          case SSLException tls -> "the TLS connection failed: " + tls.getMessage();
          default -> "not a Damask server: " + e.getMessage();
        };
    String remedy =
        isHeld
            ? "repeat the command, or stop the process that holds the store"
            : e instanceof SSLException
                ? "check the certificate, or use http:// if the server has none"
                : "check --server, or start one with 'damask serve'";
    return new Refusal(shown + ": " + Lines.oneLine(why) + "; " + remedy);
  }

  private HttpResponse<byte[]> checked(HttpResponse<byte[]> response) {
    int status = response.statusCode();
    String type = response.headers().firstValue("content-type").orElse("");
    if (status / 100 == 2 && response.headers().firstValue("cache-control").isPresent()) {
      return response;
    }
    if (!type.startsWith(PROBLEM)) {
      throw stranger("status " + status);
    }
    Map<String, @Nullable Object> problem = object(response);
    String detail = String.valueOf(problem.get("detail"));
    if (status == 401) {
      throw new Refusal(
          shown
              + ": "
              + (token.isEmpty() ? "a token is required" : "the server does not know the token")
              + "; set DAMASK_TOKEN or --token");
    }
    if (status == 403) {
      throw new Refusal(shown + ": " + detail + "; use another token");
    }
    throw new ServerProblem(status, detail, problem);
  }

  private Refusal stranger(String what) {
    return new Refusal(
        shown + ": not a Damask server, it answered with " + what + "; check --server");
  }

  private Map<String, @Nullable Object> object(HttpResponse<byte[]> response) {
    try {
      Json json = new JsonReader(LIMITS).read(JsonReader.decode(response.body()));
      if (json instanceof Json.Fields fields) {
        return fields.plainEntries(ServerClient::number);
      }
    } catch (JsonProblem e) {
      // reported below
    }
    throw stranger("a body that is not a JSON object");
  }

  /// Returns a number that is printed as the server has written it.
  private static Object number(Json.Numeral numeral) {
    Number number = numeral.number();
    boolean isExact = !(number instanceof Double) || number.toString().equals(numeral.digits());
    return isExact ? number : new BigDecimal(numeral.digits());
  }

  /// Returns the URL of the server, or the directory of the held store.
  @Override
  public String toString() {
    return shown;
  }

  @Override
  public void close() {
    http.close();
  }
}
