package dev.damask.encoding;

import dev.damask.value.Encoder;
import dev.damask.value.Sum;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/// The hashes of one case. A part is hashed with the id of the case, so that a part of another case
/// does not fit. Values are hashed with a key of their own: the hash of a part covers the hashes of
/// the values in it, not their bytes, so that a value can be erased and leave its hash.
///
/// Small values, entries and parts are hashed by multiplication, which finds damage. A value that
/// is stored under its hash is hashed with SHA-256, because equal hashes mean equal values there.
public final class Hashing {
  /// The encoded size from which on a value is stored by itself, under its hash.
  public static final int SHARED_MIN = 257;

  private static final long P1 = 0x9E3779B97F4A7C15L;
  private static final long P2 = 0xD6E8FEB86659FD93L;
  private static final long P3 = 0xA0761D6478BD642FL;

  private final long seed1;
  private final long seed2;
  private final byte[] valueKey;
  private final long value1;
  private final long value2;
  private final Encoder scratch = new Encoder(64);
  private @Nullable MessageDigest digest; // null until the first large value

  /// @param valueKey the key of the store for the hashes of values
  public Hashing(String caseId, Sum valueKey) {
    Sum own = hash(bytes(caseId), caseId.length(), P1, P2);
    this.seed1 = own.high();
    this.seed2 = own.low();
    this.value1 = valueKey.high() ^ P1;
    this.value2 = valueKey.low() ^ P3;
    Encoder key = new Encoder(Sum.BYTES);
    valueKey.write(key);
    this.valueKey = key.toBytes();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// Frees the memory that only hashing needs.
  public void release() {
    scratch.release();
    digest = null;
  }

  /// What the sum of a case starts from.
  public Sum start(long programHigh, long programLow, long startedMillis) {
    scratch.clear();
    scratch.fixed(programHigh);
    scratch.fixed(programLow);
    scratch.whole(startedMillis);
    return part(scratch);
  }

  /// The hash of a part: its kind, its numbers, its fields and the hashes of its contexts.
  public Sum part(Encoder bytes) {
    return hash(bytes.array(), bytes.length(), seed1, seed2);
  }

  /// The hash of an entry of a context.
  public Sum entry(String key, Sum value) {
    scratch.clear();
    scratch.fixed(value.high());
    scratch.fixed(value.low());
    scratch.text(key);
    return hash(scratch.array(), scratch.length(), P2, P3);
  }

  /// The hash of an encoded value.
  public Sum value(Encoder bytes) {
    return bytes.length() < SHARED_MIN
        ? hash(bytes.array(), bytes.length(), value1, value2)
        : shared(bytes.array(), bytes.length());
  }

  /// The hash of a value that is stored by itself.
  public Sum shared(byte[] bytes, int length) {
    MessageDigest sha = digest();
    sha.update(valueKey);
    sha.update(bytes, 0, length);
    byte[] result = sha.digest();
    return new Sum(word(result, 0, Long.BYTES), word(result, Long.BYTES, Long.BYTES));
  }

  private MessageDigest digest() {
    if (digest == null) {
      try {
        digest = MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java platform has SHA-256", e);
      }
    }
    return digest;
  }

  private static Sum hash(byte[] bytes, int length, long seed1, long seed2) {
    long h1 = seed1 ^ P1 * (length + 1L);
    long h2 = seed2 + P2;
    int at = 0;
    for (; at + 2 * Long.BYTES <= length; at += 2 * Long.BYTES) {
      long w1 = word(bytes, at, Long.BYTES);
      long w2 = word(bytes, at + Long.BYTES, Long.BYTES);
      long next = mix(w1 ^ P2 ^ h2, w2 ^ h1 ^ P3);
      h2 = Long.rotateLeft(h2, 29) + mix(w2 ^ P1 ^ h1, w1 + h2) + w2;
      h1 = Long.rotateLeft(h1, 31) ^ next ^ w1;
    }
    int left = length - at;
    long w1 = word(bytes, at, Math.min(left, Long.BYTES));
    long w2 = left > Long.BYTES ? word(bytes, at + Long.BYTES, left - Long.BYTES) : 0;
    h1 ^= mix(w1 ^ P2 ^ h2, w2 ^ h1 ^ P3) ^ w1;
    h2 += mix(w2 ^ P1 ^ h1, w1 + h2) + w2;
    return new Sum(mix(h1 ^ P3, h2 ^ P1) ^ h1, mix(h2 + P2, h1 ^ P3) + h2);
  }

  private static long mix(long one, long other) {
    long low = one * other;
    long high = Math.unsignedMultiplyHigh(one, other);
    long folded = low ^ high;
    return (folded ^ folded >>> 32) * P1;
  }

  private static long word(byte[] bytes, int from, int count) {
    long value = 0;
    for (int i = from; i < from + count; i++) {
      value = value << 8 | (bytes[i] & 0xFF);
    }
    return value;
  }
}
