package dev.damask.server;

import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonProblem;
import dev.damask.json.JsonReader;
import dev.damask.nursery.ErrorPolicy;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/// The public keys of an identity provider, as a JSON Web Key Set in a file or at a URL. A URL is
/// read again in the background: every ten minutes while tokens come, so that a key that was
/// withdrawn ends, and at most once per minute when a token names a key that is not known. No
/// request waits for it.
public final class JwtKeys implements AutoCloseable {
  private static final Duration AGAIN = Duration.ofMinutes(1);
  private static final Duration OLD = Duration.ofMinutes(10);
  private static final int RSA_BITS_MIN = 2_048;
  private static final int SET_MAX = 1 << 20;

  private final Source source;
  private final Clock clock;
  private final Nursery nursery =
      Nursery.open(
          NurseryOptions.named("keys of the identity provider")
              .withGrace(Duration.ofSeconds(1))
              .withPolicy(ErrorPolicy.SUPERVISE));
  private final AtomicBoolean isReading = new AtomicBoolean();
  private volatile Map<String, Key> keys = Map.of(); // replaced as a whole
  private volatile Instant readAt = Instant.MIN;

  /// @param algorithm the only one that the key is used for
  private record Key(String algorithm, PublicKey key) {}

  /// Reads a key set.
  private interface Source {
    byte[] read() throws IOException, InterruptedException;
  }

  private JwtKeys(Source source, Clock clock) {
    this.source = source;
    this.clock = clock;
  }

  /// Reads the keys of a file or an HTTPS URL. Throws `IllegalArgumentException` if they cannot be
  /// read.
  public static JwtKeys of(String place, Clock clock) {
    boolean isUrl = place.startsWith("https://") || place.startsWith("http://");
    if (place.startsWith("http://") && !isLoopback(URI.create(place))) {
      throw new IllegalArgumentException(place + ": keys are read over https only");
    }
    JwtKeys keys =
        new JwtKeys(
            isUrl ? () -> download(URI.create(place)) : () -> Files.readAllBytes(Path.of(place)),
            clock);
    keys.read(place);
    return keys;
  }

  private static boolean isLoopback(URI url) {
    return "127.0.0.1".equals(url.getHost()) || "localhost".equals(url.getHost());
  }

  private static byte[] download(URI url) throws IOException, InterruptedException {
    try (HttpClient client =
        HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build()) {
      HttpRequest request = HttpRequest.newBuilder(url).timeout(Duration.ofSeconds(10)).build();
      HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
      if (response.statusCode() != 200 || response.body().length > SET_MAX) {
        throw new IOException("status " + response.statusCode());
      }
      return response.body();
    }
  }

  /// Returns the key with an id, if it is for the algorithm.
  Optional<PublicKey> find(String id, String algorithm) {
    Key found = keys.get(id);
    Duration fresh = found == null ? AGAIN : OLD;
    if (readAt.plus(fresh).isBefore(clock.instant()) && isReading.compareAndSet(false, true)) {
      nursery.launch("read", _ -> readAgain());
    }
    return found != null && found.algorithm.equals(algorithm)
        ? Optional.of(found.key)
        : Optional.empty();
  }

  /// Keys that cannot be read now stay as they were.
  private void readAgain() {
    try {
      read("keys");
    } catch (IllegalArgumentException e) {
      System.getLogger(JwtKeys.class.getName())
          .log(System.Logger.Level.WARNING, "the keys of the identity provider", e);
    } finally {
      isReading.set(false);
    }
  }

  /// Returns whether the keys are being read.
  boolean isReading() {
    return isReading.get();
  }

  @Override
  public void close() {
    nursery.cancel("the keys are closed");
    nursery.close();
  }

  private void read(String place) {
    readAt = clock.instant();
    try {
      Json root = new JsonReader(JsonLimits.DEFAULT).read(JsonReader.decode(source.read()));
      if (!(root instanceof Json.Fields set)
          || !(set.get("keys") instanceof Json.Items(_, var all))) {
        throw new IllegalArgumentException(place + ": expected a JSON Web Key Set");
      }
      Map<String, Key> found = new HashMap<>();
      for (Json each : all) {
        if (each instanceof Json.Fields key) {
          key(key).ifPresent(made -> found.put(text(key, "kid"), made));
        }
      }
      keys = found;
    } catch (JsonProblem | GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException(place + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// A key of a kind that is not used is left out.
  private static Optional<Key> key(Json.Fields key) throws GeneralSecurityException {
    if (text(key, "use").equals("enc")) {
      return Optional.empty();
    }
    return switch (text(key, "kty")) {
      case "RSA" -> {
        BigInteger modulus = number(key, "n");
        yield modulus.bitLength() < RSA_BITS_MIN
            ? Optional.empty()
            : Optional.of(
                new Key(
                    "RS256",
                    KeyFactory.getInstance("RSA")
                        .generatePublic(new RSAPublicKeySpec(modulus, number(key, "e")))));
      }
      case "EC" ->
          text(key, "crv").equals("P-256")
              ? Optional.of(new Key("ES256", curve(number(key, "x"), number(key, "y"))))
              : Optional.empty();
      default -> Optional.empty();
    };
  }

  private static PublicKey curve(BigInteger x, BigInteger y) throws GeneralSecurityException {
    AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
    parameters.init(new ECGenParameterSpec("secp256r1"));
    ECParameterSpec spec = parameters.getParameterSpec(ECParameterSpec.class);
    return KeyFactory.getInstance("EC")
        .generatePublic(new ECPublicKeySpec(new ECPoint(x, y), spec));
  }

  private static BigInteger number(Json.Fields key, String name) {
    return new BigInteger(1, Base64.getUrlDecoder().decode(text(key, name)));
  }

  private static String text(Json.Fields fields, String name) {
    return fields.get(name) instanceof Json.Text(_, var value) ? value : "";
  }
}
