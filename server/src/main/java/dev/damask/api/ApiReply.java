package dev.damask.api;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The answer to a request.
public sealed interface ApiReply {
  /// Returns the HTTP status.
  int status();

  /// A JSON value. Contexts in it are [Confidential]; [AnswerRedaction] writes it.
  ///
  /// @param headers further headers
  record Json(int status, @Nullable Object value, Map<String, String> headers) implements ApiReply {
    public Json {
      headers = Map.copyOf(headers);
    }
  }

  /// Bytes of another media type.
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  record Content(int status, String type, byte[] bytes) implements ApiReply {}

  /// An answer that is written piece by piece, until the writer returns.
  record Stream(String type, Writer writer) implements ApiReply {
    @Override
    public int status() {
      return 200;
    }
  }

  /// Writes the body of a stream.
  @FunctionalInterface
  interface Writer {
    /// Writes until there is no more to write. Throws `IOException` if the client has disconnected.
    void write(OutputStream out) throws IOException, InterruptedException;
  }

  /// Returns a JSON answer with status 200.
  static Json ok(@Nullable Object value) {
    return new Json(200, value, Map.of());
  }

  /// Returns a JSON answer with the revision of a case as its entity tag.
  static Json revised(int status, @Nullable Object value, long revision) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("etag", "\"" + revision + "\"");
    return new Json(status, value, headers);
  }

  /// Returns an answer in UTF-8.
  static Content text(String type, String text) {
    return new Content(200, type, text.getBytes(StandardCharsets.UTF_8));
  }
}
