package dev.damask.api;

import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonReader;
import dev.damask.json.JsonWriter;
import dev.damask.ops.RequestKeys;
import dev.damask.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The replies to requests with an idempotency key. A repeated request gets the reply of the first
/// one; a request with the same key and another content is refused. Keys belong to a token. They
/// are stored for a day, so that another start of the server and another node know them. A request
/// that failed may be repeated.
final class IdempotencyKeys {
  private static final System.Logger LOG = System.getLogger(IdempotencyKeys.class.getName());
  private static final int KEY_MAX = 200;
  private static final int REPLY_MAX = 8 << 20;
  private static final JsonReader READER =
      new JsonReader(new JsonLimits(REPLY_MAX, 100, REPLY_MAX, 1 << 20, 400, 10_000, 1 << 20));

  private final RequestKeys keys;

  /// What a request does.
  interface Action {
    ApiReply run() throws InterruptedException;
  }

  IdempotencyKeys(RequestKeys keys) {
    this.keys = keys;
  }

  /// A request with a key.
  ///
  /// @param name identifies the token and its key
  /// @param content identifies what the request contains
  /// @param isRepeatable whether its action may be repeated if it was interrupted
  record Keyed(String name, String content, boolean isRepeatable) {
    static Keyed of(
        Caller caller, String key, Exchange exchange, byte[] body, boolean isRepeatable) {
      if (key.isEmpty() || key.length() > KEY_MAX) {
        throw Problem.bad("Idempotency-Key must have from 1 to " + KEY_MAX + " characters");
      }
      String head = exchange.method() + " " + exchange.path() + "?" + exchange.query() + "\n";
      return new Keyed(
          digest(caller.name() + "\n" + key, new byte[0]), digest(head, body), isRepeatable);
    }
  }

  /// Returns the reply to a request, which runs if it has not run before.
  ///
  /// @param shown returns a value of a reply as the caller sees it
  ApiReply once(Keyed request, UnaryOperator<@Nullable Object> shown, Action action)
      throws InterruptedException {
    RequestKeys.Known known = keys.begin(request.name, request.content);
    if (!known.content().equals(request.content)) {
      throw new Problem(
          Problem.Kind.KEY_REUSED,
          "the Idempotency-Key was used for another request; choose another one");
    }
    return switch (known.state()) {
      case DONE -> read(known.reply());
      case OPEN ->
          throw new Problem(
              Problem.Kind.CONFLICT, "the first request with this Idempotency-Key is not done yet");
      case NEW -> run(request, shown, action);
      case INTERRUPTED -> {
        if (request.isRepeatable) {
          yield run(request, shown, action);
        }
        keys.drop(request.name);
        throw new Problem(
            Problem.Kind.CONFLICT,
            "the first request with this Idempotency-Key was interrupted and its outcome is"
                + " unknown; read what it was to change, then repeat it if need be");
      }
    };
  }

  private ApiReply run(Keyed request, UnaryOperator<@Nullable Object> shown, Action action)
      throws InterruptedException {
    ApiReply reply = null;
    try {
      reply = action.run();
    } finally {
      settle(request, shown, reply);
    }
    return reply;
  }

  /// Stores the reply of a change that has been made; a failure to store it must not hide it.
  private void settle(
      Keyed request, UnaryOperator<@Nullable Object> shown, @Nullable ApiReply reply) {
    try {
      if (reply instanceof ApiReply.Json json) {
        String text = text(json, shown);
        keys.keep(request.name, request.content, text);
      } else {
        keys.drop(request.name);
      }
    } catch (StoreException | IllegalStateException e) {
      LOG.log(System.Logger.Level.WARNING, "the reply to an Idempotency-Key was not stored", e);
    }
  }

  private static String text(ApiReply.Json reply, UnaryOperator<@Nullable Object> shown) {
    return JsonWriter.line(
        JsonWriter.object(
            "status",
            (long) reply.status(),
            "headers",
            new TreeMap<>(reply.headers()),
            "value",
            shown.apply(reply.value())));
  }

  private static ApiReply read(String text) {
    if (READER.read(text).plain(Json.Numeral::number) instanceof Map<?, ?> kept
        && kept.get("status") instanceof Long status
        && kept.get("headers") instanceof Map<?, ?> headers) {
      Map<String, String> all = new TreeMap<>();
      headers.forEach((name, value) -> all.put(String.valueOf(name), String.valueOf(value)));
      return new ApiReply.Json(status.intValue(), kept.get("value"), all);
    }
    throw new IllegalStateException("a stored reply is malformed");
  }

  private static String digest(String head, byte[] body) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(head.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(sha.digest(body));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
