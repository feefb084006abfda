package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.api.Caller;
import dev.damask.api.Role;
import dev.damask.value.Context;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Clients that do not read, clients in great number, and clients with TLS.
@Timeout(60)
final class HardClientsTest {
  private static final int CHANGES = 5_000;
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private Path folder;
  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
  }

  @AfterEach
  void close() {
    served.close();
  }

  private Socket stream(int receiveBytes) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(receiveBytes);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), served.server.port()));
    OutputStream out = socket.getOutputStream();
    String request =
        "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n"
            .formatted(served.viewer);
    out.write(request.getBytes(StandardCharsets.US_ASCII));
    out.flush();
    return socket;
  }

  private static BufferedReader lines(Socket socket) throws IOException {
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  /// Reads until a line begins with a text.
  private static String until(BufferedReader lines, String begin) throws IOException {
    String line = lines.readLine();
    while (line != null && !line.startsWith(begin)) {
      line = lines.readLine();
    }
    return String.valueOf(line);
  }

  @Test
  void clients_that_do_not_read_delay_no_commit_and_no_other_client() throws IOException {
    String id = "c".repeat(128);
    served.start("order", id, Context.empty());
    List<Socket> slow = new ArrayList<>();
    try (Socket quick = stream(65_536)) {
      BufferedReader events = lines(quick);
      until(events, "retry:");
      for (int i = 0; i < 20; i++) {
        Socket socket = stream(2_048);
        slow.add(socket);
        until(lines(socket), "retry:"); // subscribed, and reads no more
      }

      long revision = 0;
      for (int i = 0; i < CHANGES; i++) {
        revision = served.engine.signal(id, "approved", Map.of()).revision();
      }

      String last = until(events, "data: ");
      while (!last.matches(".*\"revision\": ?" + revision + "[,}].*")) {
        assertThat(last).isNotEqualTo("null");
        last = until(events, "data: ");
      }
      assertThat(revision).isGreaterThan(CHANGES);
      assertThat(served.get(served.viewer, "/v1/me").status()).isEqualTo(200);
    } finally {
      for (Socket each : slow) {
        each.close();
      }
    }
  }

  @Test
  void more_streams_than_the_limit_are_refused_and_the_others_continue() throws IOException {
    List<Socket> open = new ArrayList<>();
    try {
      Tokens tokens = new Tokens(java.time.Clock.systemUTC());
      String viewer = tokens.issue(Caller.of("vera", Role.VIEWER));
      ServerOptions options =
          ServerOptions.defaults()
              .withPort(0)
              .withTokens(tokens)
              .withLimits(new ServerOptions.Limits(0, 100, 3));
      try (DamaskServer server = DamaskServer.start(served.engine, options)) {
        for (int i = 0; i < 3; i++) {
          Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
          open.add(socket);
          String request =
              "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n"
                  .formatted(viewer);
          socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
          until(lines(socket), "retry:");
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
          HttpRequest more =
              HttpRequest.newBuilder(URI.create(server.url() + "/v1/events"))
                  .header("Authorization", "Bearer " + viewer)
                  .build();
          HttpResponse<String> refused = client.send(more, HttpResponse.BodyHandlers.ofString());
          assertThat(refused.statusCode()).isEqualTo(429);
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
        served.engine.cancel("order-2");
        assertThat(until(lines(open.getFirst()), "data:")).contains("order-2");
      }
    } finally {
      for (Socket each : open) {
        each.close();
      }
    }
  }

  @Test
  void a_server_with_a_certificate_answers_over_tls_and_only_so()
      throws IOException, GeneralSecurityException, InterruptedException {
    KeyStore keys = certificate();
    Path certificate = pem("CERTIFICATE", keys.getCertificate("own").getEncoded());
    Path key = pem("PRIVATE KEY", keys.getKey("own", PASSWORD).getEncoded());
    Tokens tokens = new Tokens(java.time.Clock.systemUTC());
    String viewer = tokens.issue(Caller.of("vera", Role.VIEWER));
    ServerOptions options =
        ServerOptions.defaults().withPort(0).withTokens(tokens).withTls(certificate, key);
    try (DamaskServer server = DamaskServer.start(served.engine, options);
        HttpClient trusting = HttpClient.newBuilder().sslContext(trusting(keys)).build();
        HttpClient other = HttpClient.newHttpClient()) {
      assertThat(server.url().getScheme()).isEqualTo("https");
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/v1/me"))
              .header("Authorization", "Bearer " + viewer)
              .build();

      HttpResponse<String> answer = trusting.send(request, HttpResponse.BodyHandlers.ofString());

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
      assertThatThrownBy(() -> other.send(request, HttpResponse.BodyHandlers.ofString()))
          .isInstanceOf(SSLException.class);
      URI plain = URI.create("http://localhost:" + server.port() + "/v1/me");
      assertThatThrownBy(() ->
              other.send(
                  HttpRequest.newBuilder(plain).build(), HttpResponse.BodyHandlers.ofString()))
          .isInstanceOf(IOException.class);
    }
    assertThatThrownBy(
            () -> DamaskServer.start(served.engine, options.withTls(key, certificate)).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(key.toString());
  }

  /// A key and its certificate for `localhost`, made by the JDK's own tool.
  private KeyStore certificate()
      throws IOException, GeneralSecurityException, InterruptedException {
    Path store = folder.resolve("keys.p12");
    Process tool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "own",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .start();
    String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(tool.waitFor()).as(said).isZero();
    return KeyStore.getInstance(store.toFile(), PASSWORD);
  }

  private Path pem(String kind, byte[] bytes) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    Path file = folder.resolve(kind.replace(' ', '-') + ".pem");
    return Files.writeString(
        file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
  }

  private static SSLContext trusting(KeyStore keys) throws IOException, GeneralSecurityException {
    KeyStore known = KeyStore.getInstance(KeyStore.getDefaultType());
    known.load(null, null);
    known.setCertificateEntry("own", keys.getCertificate("own"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(known);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }
}
