package dev.damask.source;

import java.util.Map;

/// Takes secrets out of texts that are about to be kept.
public final class Redaction {
  static final String MARK = "[secret]";

  private Redaction() {}

  /// Returns a string in which every secret is redacted.
  public static String of(String text, Map<String, String> secrets) {
    String clean = text;
    for (String secret : secrets.values()) {
      clean = secret.isEmpty() ? clean : clean.replace(secret, MARK);
    }
    return clean;
  }
}
