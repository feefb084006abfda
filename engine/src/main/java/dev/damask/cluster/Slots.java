package dev.damask.cluster;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// The division of all cases into slots, the unit of ownership. The slot of a case is the first 12
/// bits of the SHA-256 of its id and never changes.
public final class Slots {
  /// The number of slots of every cluster.
  public static final int COUNT = 4_096;

  private static final int BITS_OF_SECOND_BYTE = 4;
  private static final int BYTE = 0xff;

  private Slots() {}

  /// Returns the slot of a case, from 0 to [#COUNT] - 1.
  public static int of(String caseId) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(caseId.getBytes(StandardCharsets.UTF_8));
      return (hash[0] & BYTE) << BITS_OF_SECOND_BYTE
          | (hash[1] & BYTE) >>> (Byte.SIZE - BITS_OF_SECOND_BYTE);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
