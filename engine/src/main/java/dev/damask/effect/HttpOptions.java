package dev.damask.effect;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/// How the effect `http` behaves.
///
/// @param time for the whole call, from the first lookup to the last byte
/// @param answerBytesMax of a body, before and after it is unpacked
/// @param json reads and writes bodies in JSON
/// @param tls null for that of the platform
public record HttpOptions(
    EgressGuard guard,
    Duration time,
    int answerBytesMax,
    int redirectsMax,
    JsonBodies json,
    @Nullable SSLSocketFactory tls) {
  /// Calls nobody.
  public static final HttpOptions CLOSED = allowing(List.of());

  public HttpOptions {
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException("http: the time of a call is positive, got " + time);
    }
    if (answerBytesMax < 0 || redirectsMax < 0) {
      throw new IllegalArgumentException("http: limits are not negative");
    }
  }

  /// Calls these hosts, each written `HOST` or `HOST:PORT`: 30 seconds, 1 MiB, 3 redirects, and
  /// bodies as they came.
  public static HttpOptions allowing(Collection<String> hosts) {
    return guardedBy(EgressGuard.allowing(hosts));
  }

  /// Calls whom this guard lets through, with the same limits.
  public static HttpOptions guardedBy(EgressGuard guard) {
    return new HttpOptions(guard, Duration.ofSeconds(30), 1 << 20, 3, JsonBodies.AS_TEXT, null);
  }

  public HttpOptions withJson(JsonBodies bodies) {
    return new HttpOptions(guard, time, answerBytesMax, redirectsMax, bodies, tls);
  }

  public HttpOptions withTime(Duration value) {
    return new HttpOptions(guard, value, answerBytesMax, redirectsMax, json, tls);
  }

  public HttpOptions withAnswerBytesMax(int value) {
    return new HttpOptions(guard, time, value, redirectsMax, json, tls);
  }

  HttpOptions withGuard(EgressGuard value) {
    return new HttpOptions(value, time, answerBytesMax, redirectsMax, json, tls);
  }

  /// Trusts what this factory trusts.
  public HttpOptions withTls(SSLSocketFactory value) {
    return new HttpOptions(guard, time, answerBytesMax, redirectsMax, json, value);
  }
}
