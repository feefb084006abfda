package dev.damask.program;

import dev.damask.term.Limits;
import dev.damask.term.Mode;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The identity of a program: the first 16 bytes of SHA-256 over the text of [ProgramIdentity].
public record ProgramHash(long high, long low) {
  public static final int BYTES = 16;

  /// The hash of a program as the compiler emitted it.
  public static ProgramHash of(
      String name, Mode mode, Context context, Limits limits, int[] code, Program.Pools pools) {
    return of(ProgramIdentity.text(name, mode, context, limits, code, pools));
  }

  private static ProgramHash of(String canonical) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(canonical.getBytes(StandardCharsets.UTF_8));
      return new ProgramHash(word(digest, 0), word(digest, 8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static long word(byte[] bytes, int from) {
    long value = 0;
    for (int i = from; i < from + 8; i++) {
      value = value << 8 | (bytes[i] & 0xFF);
    }
    return value;
  }

  /// Reads what [#toString] wrote.
  public static ProgramHash parse(String text) {
    byte[] bytes = HexFormat.of().parseHex(text);
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException("a program hash has 32 hex digits, got " + text);
    }
    return new ProgramHash(word(bytes, 0), word(bytes, 8));
  }

  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
  }
}
