package dev.damask.api;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Seals the places of a list that counts what a caller may not see. A sealed place tells a client
/// nothing but whether it is the same as another one, and a client cannot make one.
///
/// It is the text under a key stream that begins with the text's own authentication code: equal
/// texts have equal seals, so a seal is computed once for all readers.
public final class CursorSeal {
  private static final String HMAC = "HmacSHA256";
  private static final int TAG = 16;

  private final SecretKeySpec codes;
  private final SecretKeySpec streams;

  /// @param secret at least 32 random bytes
  CursorSeal(byte[] secret) {
    this.codes = new SecretKeySpec(hmac(new SecretKeySpec(secret, HMAC), "codes"), HMAC);
    this.streams = new SecretKeySpec(hmac(new SecretKeySpec(secret, HMAC), "streams"), HMAC);
  }

  /// Returns a seal with a secret of its own.
  static CursorSeal random() {
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    return new CursorSeal(secret);
  }

  /// Returns a place as a client receives it.
  public String seal(String place) {
    byte[] plain = place.getBytes(StandardCharsets.UTF_8);
    byte[] tag = Arrays.copyOf(hmac(codes, plain), TAG);
    byte[] sealed = ByteBuffer.allocate(TAG + plain.length).put(tag).put(under(tag, plain)).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
  }

  /// Returns the place; empty if it was not sealed here.
  public Optional<String> open(String text) {
    byte[] sealed;
    try {
      sealed = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    if (sealed.length < TAG) {
      return Optional.empty();
    }
    byte[] tag = Arrays.copyOf(sealed, TAG);
    byte[] plain = under(tag, Arrays.copyOfRange(sealed, TAG, sealed.length));
    return MessageDigest.isEqual(tag, Arrays.copyOf(hmac(codes, plain), TAG))
        ? Optional.of(new String(plain, StandardCharsets.UTF_8))
        : Optional.empty();
  }

  private byte[] under(byte[] tag, byte[] text) {
    byte[] result = text.clone();
    byte[] stream = new byte[0];
    for (int i = 0; i < text.length; i++) {
      int at = i % 32;
      if (at == 0) {
        stream = hmac(streams, ByteBuffer.allocate(TAG + 4).put(tag).putInt(i).array());
      }
      result[i] ^= stream[at];
    }
    return result;
  }

  private static byte[] hmac(SecretKeySpec key, String text) {
    return hmac(key, text.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] hmac(SecretKeySpec key, byte[] bytes) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(key);
      return mac.doFinal(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + HMAC, e);
    }
  }
}
