package dev.damask.api;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Cursors of lists as callers pass them back: opaque text that names nothing but what the caller
/// has seen.
public final class Cursor {
  private static final char SEPARATOR = '\n';

  private Cursor() {}

  /// Returns the cursor of some parts; the last may contain anything.
  public static @Nullable String of(String... parts) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(
            String.join(String.valueOf(SEPARATOR), parts).getBytes(StandardCharsets.UTF_8));
  }

  /// Returns the parts of a cursor. Throws [Problem] if it is not one.
  public static List<String> parts(String text, int count) {
    try {
      String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
      List<String> parts = List.of(plain.split(String.valueOf(SEPARATOR), count));
      if (parts.size() == count) {
        return parts;
      }
    } catch (IllegalArgumentException e) {
      // reported below
    }
    throw Problem.bad("cursor: not one of this list; start without it");
  }
}
