package dev.damask.orchestration;

import java.util.Map;

/// Takes secrets out of texts that are about to be kept.
final class Redaction {
  static final String MARK = "[secret]";

  private Redaction() {}

  static String of(String text, Map<String, String> secrets) {
    String clean = text;
    for (String secret : secrets.values()) {
      clean = secret.isEmpty() ? clean : clean.replace(secret, MARK);
    }
    return clean;
  }
}
