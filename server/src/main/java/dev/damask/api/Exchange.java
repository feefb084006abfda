package dev.damask.api;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/// A request as the HTTP server received it.
///
/// @param path as it was received, with percent-encoding
/// @param query as it was received; empty if there is none
/// @param headers by lower-case name; a header that came twice has its values joined by a comma
/// @param body opens the body
/// @param sender who sends it
public record Exchange(
    String method,
    String path,
    String query,
    Map<String, String> headers,
    Body body,
    Sender sender) {
  /// The header under which the server notes the address of the client. No client can send one of
  /// this name.
  public static final String ADDRESS = ":address";

  public Exchange {
    headers = Map.copyOf(headers);
  }

  /// Returns the same request with another method.
  public Exchange with(String other) {
    return new Exchange(other, path, query, headers, body, sender);
  }

  /// Opens the body of a request.
  @FunctionalInterface
  public interface Body {
    /// Returns the bytes of the body as they arrive.
    InputStream open() throws IOException;
  }
}
