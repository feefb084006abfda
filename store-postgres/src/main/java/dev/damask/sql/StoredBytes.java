package dev.damask.sql;

import dev.damask.program.ProgramHash;
import dev.damask.value.Encoder;
import dev.damask.value.Sum;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/// The stored forms of hashes, and the checksum of records.
public final class StoredBytes {
  private StoredBytes() {}

  /// Returns the stored form of a value's hash.
  public static byte[] of(Sum sum) {
    Encoder out = new Encoder();
    sum.write(out);
    return out.toBytes();
  }

  /// Returns the stored form of a program's hash: its 16 bytes.
  public static byte[] of(ProgramHash hash) {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(hash.high()).putLong(hash.low()).array();
  }

  public static ProgramHash programHash(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new ProgramHash(in.getLong(), in.getLong());
  }

  /// Returns the checksum of a stored record. It covers the case id, so that a record in a foreign
  /// row is noticed.
  public static int checksum(String caseId, byte[] record) {
    CRC32C crc = new CRC32C();
    crc.update(caseId.getBytes(StandardCharsets.UTF_8));
    crc.update(record);
    return (int) crc.getValue();
  }
}
