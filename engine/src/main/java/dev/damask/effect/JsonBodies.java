package dev.damask.effect;

import org.jspecify.annotations.Nullable;

/// JSON in the bodies of `http`. The engine has no parser of its own: whoever assembles it brings
/// one.
public interface JsonBodies {
  /// Leaves answers as the text they are, and takes only texts to send.
  JsonBodies AS_TEXT =
      new JsonBodies() {
        @Override
        public @Nullable Object read(String text) {
          return text;
        }

        @Override
        public String write(@Nullable Object value) {
          throw new IllegalArgumentException(
              "no JSON writer is registered: give 'body' as a text, or see HttpOptions.withJson");
        }
      };

  /// A value of the closed set; `IllegalArgumentException` when the text is not JSON.
  @Nullable Object read(String text);

  String write(@Nullable Object value);
}
