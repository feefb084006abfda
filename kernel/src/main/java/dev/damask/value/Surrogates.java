package dev.damask.value;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Texts that are not quite Unicode. Java allows half of a surrogate pair to stand alone, UTF-8
/// does not and would turn it into a question mark; here it is written in three bytes like any
/// other character of its size, so that every text comes back as it was.
final class Surrogates {
  private Surrogates() {}

  static boolean areUnpaired(String text) {
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (Character.isSurrogate(each)) {
        boolean pair =
            Character.isHighSurrogate(each)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!pair) {
          return true;
        }
        i++;
      }
    }
    return false;
  }

  static byte[] encode(String text) {
    byte[] out = new byte[text.length() * 3];
    int length = 0;
    for (int at = 0; at < text.length(); ) {
      int point = text.codePointAt(at);
      at += Character.charCount(point);
      if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
        out[length++] = (byte) (0xE0 | point >> 12);
        out[length++] = (byte) (0x80 | (point >> 6 & 0x3F));
        out[length++] = (byte) (0x80 | (point & 0x3F));
      } else {
        byte[] plain = Character.toString(point).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(plain, 0, out, length, plain.length);
        length += plain.length;
      }
    }
    return Arrays.copyOf(out, length);
  }

  /// Reads what [#encode] wrote; null when the bytes are anything else.
  static @Nullable String decode(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    int plain = 0;
    for (int i = 0; i + 2 < bytes.length; i++) {
      if ((bytes[i] & 0xFF) == 0xED && (bytes[i + 1] & 0xFF) >= 0xA0) {
        text.append(new String(bytes, plain, i - plain, StandardCharsets.UTF_8));
        text.append((char) (0xD000 | (bytes[i + 1] & 0x3F) << 6 | (bytes[i + 2] & 0x3F)));
        i += 2;
        plain = i + 1;
      }
    }
    text.append(new String(bytes, plain, bytes.length - plain, StandardCharsets.UTF_8));
    String result = text.toString();
    byte[] again = areUnpaired(result) ? encode(result) : result.getBytes(StandardCharsets.UTF_8);
    return Arrays.equals(bytes, again) ? result : null;
  }
}
