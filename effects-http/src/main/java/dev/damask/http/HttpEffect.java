package dev.damask.http;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectNotSent;
import dev.damask.event.Failure;
import dev.damask.nursery.Child;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.ChildResult;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.task.Delivery;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The effect `http {method, url, headers, body, expect}`: one request to a host that the
/// [EgressGuard] allows. The result is `{status, headers, body}`.
///
/// A keyed delivery sends its idempotency key in the header `Idempotency-Key`. The body of a
/// response is a string if it can be decoded, otherwise bytes; [JsonBodies] reads JSON. Redirects
/// are followed to allowed hosts only. Proxies are never used.
///
/// Failure reasons: `http_404` and similar for an unexpected status, [EgressGuard#REFUSED],
/// [#UNREACHABLE], [#TIME], [#ANSWER], and `effect` for an invalid payload. An at-most-once effect
/// whose request may have arrived fails with [#UNKNOWN_OUTCOME] instead.
public final class HttpEffect implements EffectHandler {
  /// The failure reason of a call whose server cannot be reached.
  public static final String UNREACHABLE = "http_unreachable";

  /// The failure reason of a call that timed out.
  public static final String TIME = "http_timeout";

  /// The failure reason of a response that cannot be used.
  public static final String ANSWER = "http_answer";

  /// The failure reason of an at-most-once call whose request may have arrived.
  public static final String UNKNOWN_OUTCOME = Failure.UNKNOWN_OUTCOME;

  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

  private final HttpOptions options;

  /// Creates the effect with these options.
  public HttpEffect(HttpOptions options) {
    this.options = options;
  }

  @Override
  public Context call(EffectCall call) throws EffectException, InterruptedException {
    HttpRequest request = HttpRequest.of(call, options.json());
    HttpConnection connection = new HttpConnection(options);
    try {
      return result(inTime(request, connection));
    } catch (EffectException e) {
      boolean isAnswered = e.reason().matches("http_[0-9]{3}|" + EgressGuard.REFUSED);
      if (call.delivery() != Delivery.AT_MOST_ONCE || isAnswered) {
        throw e;
      }
      String detail = String.valueOf(e.getMessage());
      if (connection.isSent()) {
        throw new EffectException(UNKNOWN_OUTCOME, detail);
      }
      throw new EffectNotSent(detail);
    }
  }

  /// Runs the call in a child, so that the timeout also covers blocking operations without a
  /// timeout: a write to a server that does not read, or a response that arrives slowly.
  private HttpResponse inTime(HttpRequest request, HttpConnection connection)
      throws EffectException, InterruptedException {
    try (Nursery nursery = Nursery.open(NurseryOptions.named("http"))) {
      Child<HttpResponse> child =
          nursery.spawn(
              ChildOptions.named(request.target().place()).withTimeout(options.time()),
              _ -> follow(request, connection));
      ChildResult<HttpResponse> result;
      try {
        var _ = nursery.awaitAll(); // the child has the result
        result = child.await();
      } catch (InterruptedException e) {
        nursery.cancel("call interrupted");
        throw e;
      }
      return switch (result) {
        case ChildResult.Done<HttpResponse>(var answer) -> answer;
        case ChildResult.Cancelled<HttpResponse> _ -> throw late(request);
        case ChildResult.Failed<HttpResponse>(EffectException failed) -> throw failed;
        case ChildResult.Failed<HttpResponse>(RuntimeException bug) -> throw bug;
        case ChildResult.Failed<HttpResponse>(Error bug) -> throw bug;
        case ChildResult.Failed<HttpResponse>(var other) -> throw new IllegalStateException(other);
      };
    }
  }

  private EffectException late(HttpRequest request) {
    return new EffectException(
        TIME, "%s: no response within %s".formatted(request.target().place(), options.time()));
  }

  private HttpResponse follow(HttpRequest first, HttpConnection connection)
      throws EffectException, InterruptedException {
    HttpRequest request = first;
    for (int redirects = 0; ; redirects++) {
      HttpResponse answer = connection.exchange(request);
      String location = answer.headers().get("location");
      boolean isExpected = request.isExpected(answer.status());
      if (!isExpected && REDIRECTS.contains(answer.status()) && location != null) {
        if (redirects == options.redirectsMax()) {
          throw new EffectException(
              ANSWER,
              "%s: more than %d redirects"
                  .formatted(first.target().place(), options.redirectsMax()));
        }
        request = request.redirected(answer.status(), request.target().redirected(location));
      } else if (!isExpected) {
        throw unexpected(request, answer);
      } else {
        return answer;
      }
    }
  }

  /// A busy server specifies when to retry: the next attempt waits at least that long.
  private static EffectException unexpected(HttpRequest request, HttpResponse answer) {
    String reason = "http_" + answer.status();
    String detail = "%s answered %d".formatted(request.target().place(), answer.status());
    return RetryAfter.of(answer.headers().get("retry-after"), Instant.now())
        .map(delay -> EffectException.retryAfter(reason, detail, delay))
        .orElseGet(() -> new EffectException(reason, detail));
  }

  private Context result(HttpResponse answer) throws EffectException {
    return Context.of("status", (long) answer.status())
        .with("headers", answer.headers())
        .with("body", body(answer));
  }

  private @Nullable Object body(HttpResponse answer) throws EffectException {
    String type = answer.headers().getOrDefault("content-type", "").toLowerCase(Locale.ROOT);
    String media = type.split(";", 2)[0].strip();
    String text;
    try {
      text = charset(type).newDecoder().decode(ByteBuffer.wrap(answer.body())).toString();
    } catch (CharacterCodingException e) {
      return Bytes.of(answer.body());
    }
    if (text.isEmpty() || !(media.equals("application/json") || media.endsWith("+json"))) {
      return text;
    }
    try {
      return options.json().read(text);
    } catch (IllegalArgumentException e) {
      throw new EffectException(
          ANSWER, "the response has the content type JSON but is not valid JSON");
    }
  }

  private static Charset charset(String type) {
    int at = type.indexOf("charset=");
    String name = at < 0 ? "" : type.substring(at + 8).split(";", 2)[0].replace("\"", "").strip();
    return switch (name) {
      case "iso-8859-1", "latin1" -> StandardCharsets.ISO_8859_1;
      case "us-ascii" -> StandardCharsets.US_ASCII;
      default -> StandardCharsets.UTF_8;
    };
  }
}
