package dev.damask.effect;

import java.util.regex.Pattern;

/// The tracing context of W3C Trace Context, as the header `traceparent` has it. The engine stores
/// it with a case and passes it on to handlers; it does not read it.
public final class Traceparent {
  private static final Pattern FORM =
      Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  private Traceparent() {}

  /// Returns the text. Throws `IllegalArgumentException` if it is not a traceparent.
  public static String require(String text) {
    if (!FORM.matcher(text).matches()) {
      String shown = text.length() > 80 ? text.substring(0, 80) + "…" : text;
      throw new IllegalArgumentException(
          ("traceparent must have the form"
                  + " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, got '%s'")
              .formatted(shown));
    }
    return text;
  }
}
