package dev.damask.http;

import org.jspecify.annotations.Nullable;

/// Reads and writes the JSON bodies of `http`. The engine has no JSON parser; the application
/// provides one.
public interface JsonBodies {
  /// Leaves response bodies as strings and accepts only strings as request bodies.
  JsonBodies AS_TEXT =
      new JsonBodies() {
        @Override
        public @Nullable Object read(String text) {
          return text;
        }

        @Override
        public String write(@Nullable Object value) {
          throw new IllegalArgumentException(
              "no JSON writer is registered; pass 'body' as a string or use HttpOptions.withJson");
        }
      };

  /// Reads JSON into a context value. Throws `IllegalArgumentException` if the text is not valid
  /// JSON.
  @Nullable Object read(String text);

  /// Writes a context value as JSON.
  String write(@Nullable Object value);
}
