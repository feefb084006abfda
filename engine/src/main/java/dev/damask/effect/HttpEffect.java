package dev.damask.effect;

import dev.damask.exec.Failure;
import dev.damask.nursery.Child;
import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.ChildResult;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.task.Bytes;
import dev.damask.task.Context;
import dev.damask.task.Delivery;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// `http {method, url, headers, body, expect}`: one request to a host on the list of the
/// [EgressGuard]; the result is `{status, headers, body}`.
///
/// A keyed delivery carries its idempotency key in the header `Idempotency-Key`. The body of an
/// answer is a text if it can be, else bytes; JSON is read as [JsonBodies] says. Redirects are
/// followed to hosts on the list only. A proxy is never used.
///
/// Reasons: `http_404` and the like for an answer that was not expected, [EgressGuard#REFUSED],
/// [#UNREACHABLE], [#TIME], [#ANSWER] and `effect` for a payload that makes no sense. An effect of
/// at most once whose request may have arrived fails with [#UNKNOWN_OUTCOME] instead.
public final class HttpEffect implements EffectHandler {
  public static final String UNREACHABLE = "http_unreachable";
  public static final String TIME = "http_timeout";
  public static final String ANSWER = "http_answer";
  public static final String UNKNOWN_OUTCOME = Failure.UNKNOWN_OUTCOME;

  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

  private final HttpOptions options;

  public HttpEffect(HttpOptions options) {
    this.options = options;
  }

  @Override
  public Context call(EffectCall call) throws EffectFailed, InterruptedException {
    HttpRequest request = HttpRequest.of(call, options.json());
    HttpConnection connection = new HttpConnection(options);
    try {
      return result(inTime(request, connection));
    } catch (EffectFailed e) {
      boolean isAnswered = e.reason().matches("http_[0-9]{3}|" + EgressGuard.REFUSED);
      throw call.delivery() != Delivery.AT_MOST_ONCE || !connection.isSent() || isAnswered
          ? e
          : new EffectFailed(UNKNOWN_OUTCOME, String.valueOf(e.getMessage()));
    }
  }

  /// In a child of its own, so that the time covers what cannot be told a time: a write to somebody
  /// who does not read, an answer that comes drop by drop.
  private HttpAnswer inTime(HttpRequest request, HttpConnection connection)
      throws EffectFailed, InterruptedException {
    try (Nursery nursery = Nursery.open(NurseryOptions.named("http"))) {
      Child<HttpAnswer> child =
          nursery.spawn(
              ChildOptions.named(request.target().place()).withTimeout(options.time()),
              _ -> follow(request, connection));
      ChildResult<HttpAnswer> result;
      try {
        nursery.awaitAll();
        result = child.await();
      } catch (InterruptedException e) {
        nursery.cancel("the call was interrupted");
        throw e;
      }
      return switch (result) {
        case ChildResult.Done<HttpAnswer>(var answer) -> answer;
        case ChildResult.Cancelled<HttpAnswer> _ -> throw late(request);
        case ChildResult.Failed<HttpAnswer>(EffectFailed failed) -> throw failed;
        case ChildResult.Failed<HttpAnswer>(RuntimeException bug) -> throw bug;
        case ChildResult.Failed<HttpAnswer>(Error bug) -> throw bug;
        case ChildResult.Failed<HttpAnswer>(var other) -> throw new IllegalStateException(other);
      };
    }
  }

  private EffectFailed late(HttpRequest request) {
    return new EffectFailed(
        TIME, "%s took longer than %s".formatted(request.target().place(), options.time()));
  }

  private HttpAnswer follow(HttpRequest first, HttpConnection connection)
      throws EffectFailed, InterruptedException {
    HttpRequest request = first;
    for (int redirects = 0; ; redirects++) {
      HttpAnswer answer = connection.exchange(request);
      String location = answer.headers().get("location");
      boolean isExpected = request.isExpected(answer.status());
      if (!isExpected && REDIRECTS.contains(answer.status()) && location != null) {
        if (redirects == options.redirectsMax()) {
          throw new EffectFailed(
              ANSWER,
              "%s: more than %d redirects"
                  .formatted(first.target().place(), options.redirectsMax()));
        }
        request = request.redirected(answer.status(), request.target().redirected(location));
      } else if (!isExpected) {
        throw new EffectFailed(
            "http_" + answer.status(),
            "%s answered %d".formatted(request.target().place(), answer.status()));
      } else {
        return answer;
      }
    }
  }

  private Context result(HttpAnswer answer) throws EffectFailed {
    return Context.of("status", (long) answer.status())
        .with("headers", answer.headers())
        .with("body", body(answer));
  }

  private @Nullable Object body(HttpAnswer answer) throws EffectFailed {
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
      throw new EffectFailed(ANSWER, "the answer says that it is JSON and is not");
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
