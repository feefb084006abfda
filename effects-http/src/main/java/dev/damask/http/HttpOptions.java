package dev.damask.http;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/// The options of the `http` effect.
///
/// @param time the timeout of the whole call, from the first lookup to the last byte
/// @param answerBytesMax the maximum size of a response body, before and after decompression
/// @param json reads and writes JSON bodies
/// @param tls the socket factory; null for the platform's default
public record HttpOptions(
    EgressGuard guard,
    Duration time,
    int answerBytesMax,
    int redirectsMax,
    JsonBodies json,
    @Nullable SSLSocketFactory tls) {
  /// Options that allow no host.
  public static final HttpOptions CLOSED = allowing(List.of());

  public HttpOptions {
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException("http: timeout must be positive, got " + time);
    }
    if (answerBytesMax < 0 || redirectsMax < 0) {
      throw new IllegalArgumentException("http: limits must not be negative");
    }
  }

  /// Returns options that allow these hosts, each written as `HOST` or `HOST:PORT`. The timeout is
  /// 30 seconds, a body has at most 1 MiB, 3 redirects are followed, and bodies are not converted.
  public static HttpOptions allowing(Collection<String> hosts) {
    return guardedBy(EgressGuard.allowing(hosts));
  }

  /// Returns options with this guard: a timeout of 30 seconds, bodies of at most 1 MiB, 3
  /// redirects.
  public static HttpOptions guardedBy(EgressGuard guard) {
    return new HttpOptions(guard, Duration.ofSeconds(30), 1 << 20, 3, JsonBodies.AS_TEXT, null);
  }

  /// Returns a copy that reads and writes JSON bodies with this converter.
  public HttpOptions withJson(JsonBodies bodies) {
    return new HttpOptions(guard, time, answerBytesMax, redirectsMax, bodies, tls);
  }

  /// Returns a copy with this timeout for the whole call.
  public HttpOptions withTime(Duration value) {
    return new HttpOptions(guard, value, answerBytesMax, redirectsMax, json, tls);
  }

  /// Returns a copy with this maximum size of a response body.
  public HttpOptions withAnswerBytesMax(int value) {
    return new HttpOptions(guard, time, value, redirectsMax, json, tls);
  }

  HttpOptions withGuard(EgressGuard value) {
    return new HttpOptions(value, time, answerBytesMax, redirectsMax, json, tls);
  }

  /// Returns a copy with this TLS socket factory.
  public HttpOptions withTls(SSLSocketFactory value) {
    return new HttpOptions(guard, time, answerBytesMax, redirectsMax, json, value);
  }
}
