package dev.damask.source;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// SHA-256 of texts, in lower case hex.
public final class Hash {
  private Hash() {}

  /// Returns the SHA-256 hash of a string in hexadecimal digits.
  public static String of(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /// Whether a string has the form of a hash.
  public static boolean isHash(String text) {
    return text.matches("(0x)?[0-9a-f]{64}");
  }

  /// The same hash, with or without the prefix.
  public static boolean same(String one, String other) {
    return bare(one).equals(bare(other));
  }

  private static String bare(String hash) {
    return hash.startsWith("0x") ? hash.substring(2) : hash;
  }
}
