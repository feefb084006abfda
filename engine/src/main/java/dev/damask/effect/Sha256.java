package dev.damask.effect;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// Digests without a look through the security providers for each.
final class Sha256 {
  private static final MessageDigest FRESH = fresh();

  private Sha256() {}

  private static MessageDigest fresh() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  static MessageDigest start() {
    try {
      return (MessageDigest) FRESH.clone();
    } catch (CloneNotSupportedException e) {
      return fresh();
    }
  }
}
