package dev.damask.store.postgres;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/// The checksum of a stored record. It covers the case id, so that a record in a foreign row is
/// noticed.
final class CaseChecksum {
  private CaseChecksum() {}

  static int of(String caseId, byte[] record) {
    CRC32C crc = new CRC32C();
    crc.update(caseId.getBytes(StandardCharsets.UTF_8));
    crc.update(record);
    return (int) crc.getValue();
  }
}
