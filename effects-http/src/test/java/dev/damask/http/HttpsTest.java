package dev.damask.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.damask.effect.EffectException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Certificates: only one that is trusted, valid and of the right name will do.
@Timeout(240)
final class HttpsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir Path folder;

  /// A key with a certificate for a name, signed by an authority of its own.
  private KeyStore certificate(String name, String... options) throws Exception {
    Path file = folder.resolve(name + ".p12");
    keytool(file, "-alias", "authority", "-dname", "CN=authority", "-ext", "bc:c");
    List<String> leaf =
        new ArrayList<>(List.of("-alias", "a", "-dname", "CN=" + name, "-ext", "san=dns:" + name));
    leaf.addAll(List.of("-signer", "authority"));
    leaf.addAll(List.of(options));
    keytool(file, leaf.toArray(String[]::new));
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    return store;
  }

  private static void keytool(Path file, String... options) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                file.toString()));
    command.addAll(List.of(options));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).as(said).isZero();
  }

  private static HttpsServer serve(KeyStore certificate) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(certificate, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static SSLSocketFactory trusting(KeyStore certificate) throws Exception {
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("authority", certificate.getCertificate("authority"));
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context.getSocketFactory();
  }

  /// How a call of `https://api.example` ends at a server with this certificate.
  private static String outcome(KeyStore certificate, boolean isTrusted) throws Exception {
    EgressGuard guard =
        EgressGuard.allowing(
            List.of("api.example", "127.0.0.1"),
            _ -> new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")});
    HttpOptions options = HttpOptions.CLOSED.withGuard(guard);
    if (isTrusted) {
      options = options.withTls(trusting(certificate));
    }
    HttpEffect http = new HttpEffect(options);
    HttpsServer server = serve(certificate);
    try {
      String url = "https://api.example:" + server.getAddress().getPort() + "/";
      EffectException failed =
          catchThrowableOfType(
              EffectException.class, () -> http.call(Calls.of("http", Map.of("url", url))));
      return failed == null ? "answered" : failed.reason();
    } finally {
      server.stop(0);
    }
  }

  @Test
  void a_certificate_that_is_trusted_and_names_the_host_is_accepted() throws Exception {
    assertThat(outcome(certificate("api.example"), true)).isEqualTo("answered");
  }

  @Test
  void a_certificate_that_nobody_vouches_for_is_refused() throws Exception {
    assertThat(outcome(certificate("api.example"), false)).isEqualTo(HttpEffect.UNREACHABLE);
  }

  @Test
  void a_certificate_of_another_host_is_refused() throws Exception {
    assertThat(outcome(certificate("other.example"), true)).isEqualTo(HttpEffect.UNREACHABLE);
  }

  @Test
  void a_certificate_that_has_expired_is_refused() throws Exception {
    KeyStore old = certificate("api.example", "-startdate", "-3d", "-validity", "1");

    assertThat(outcome(old, true)).isEqualTo(HttpEffect.UNREACHABLE);
  }
}
