package dev.damask.store.postgres;

import dev.damask.program.ProgramHash;
import java.nio.ByteBuffer;

/// The stored form of a program's hash: its 16 bytes.
final class ProgramBytes {
  private ProgramBytes() {}

  static byte[] of(ProgramHash hash) {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(hash.high()).putLong(hash.low()).array();
  }

  static ProgramHash hash(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new ProgramHash(in.getLong(), in.getLong());
  }
}
