package dev.damask.api;

import dev.damask.json.JsonWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An answer that reports why a request was not fulfilled, as RFC 9457 describes it.
public final class Problem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Kind kind;
  private final transient Map<String, @Nullable Object> more;

  /// The kinds of problems. Programs compare the type; the status follows from it.
  public enum Kind {
    BAD_REQUEST(400, "bad-request", "The request is malformed"),
    UNAUTHORISED(401, "unauthorised", "A valid token is required"),
    FORBIDDEN(403, "forbidden", "The token's role does not allow this"),
    WRONG_ORIGIN(403, "wrong-origin", "The request comes from another site"),
    NOT_FOUND(404, "not-found", "There is nothing at this address"),
    WRONG_METHOD(405, "wrong-method", "The method is not supported here"),
    TIMED_OUT(408, "timed-out", "The request was not received in time"),
    CONFLICT(409, "conflict", "The request conflicts with the present state"),
    GONE(410, "gone", "The position is older than what is kept"),
    STALE(412, "stale", "The case has another revision"),
    TOO_LARGE(413, "too-large", "The body is too large"),
    WRONG_TYPE(415, "wrong-type", "The content type is not supported"),
    WRONG_HOST(421, "wrong-host", "The host is not served here"),
    INVALID(422, "invalid", "The content is invalid"),
    KEY_REUSED(422, "key-reused", "The idempotency key was used for another request"),
    TOO_MANY(429, "too-many", "Too many requests"),
    INTERNAL(500, "internal", "The server failed"),
    UNAVAILABLE(503, "unavailable", "The engine cannot answer now");

    private final int status;
    private final String word;
    private final String title;

    Kind(int status, String word, String title) {
      this.status = status;
      this.word = word;
      this.title = title;
    }

    /// Returns the HTTP status.
    public int status() {
      return status;
    }

    /// Returns the last part of the type.
    public String word() {
      return word;
    }

    /// Returns the sentence that is the same for all problems of the kind.
    public String title() {
      return title;
    }
  }

  /// Creates a problem.
  ///
  /// @param detail what is wrong with this request and what to do
  public Problem(Kind kind, String detail) {
    this(kind, detail, Map.of());
  }

  private Problem(Kind kind, String detail, Map<String, @Nullable Object> more) {
    super(detail, null, false, false);
    this.kind = kind;
    this.more = more;
  }

  /// Returns the problem of something that does not exist, or does not exist for the caller: both
  /// are reported in the same words.
  public static Problem notFound(String what, String name) {
    return new Problem(Kind.NOT_FOUND, "there is no " + what + " '" + name + "'");
  }

  /// Returns the problem of a malformed request.
  public static Problem bad(String detail) {
    return new Problem(Kind.BAD_REQUEST, detail);
  }

  /// Returns this problem with another field.
  public Problem with(String name, @Nullable Object value) {
    Map<String, @Nullable Object> longer = new LinkedHashMap<>(more);
    longer.put(name, value);
    return new Problem(kind, detail(), longer);
  }

  /// Returns the kind.
  public Kind kind() {
    return kind;
  }

  /// Returns what is wrong with this request.
  public String detail() {
    return String.valueOf(getMessage());
  }

  /// Returns the body of the answer.
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> all =
        JsonWriter.object(
            "type",
            "urn:damask:problem:" + kind.word(),
            "title",
            kind.title(),
            "status",
            (long) kind.status(),
            "detail",
            detail());
    all.putAll(more);
    return all;
  }
}
