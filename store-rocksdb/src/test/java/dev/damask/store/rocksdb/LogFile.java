package dev.damask.store.rocksdb;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/// Reads a write-ahead log of RocksDB: blocks of 32 KiB with fragments, each after a header with a
/// checksum, a length and a kind.
final class LogFile {
  private static final int BLOCK = 32_768;
  private static final int HEADER = 7;
  private static final int FULL = 1;
  private static final int FIRST = 2;
  private static final int LAST = 4;

  private LogFile() {}

  /// Returns the batches of a log.
  static List<byte[]> batches(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    List<byte[]> batches = new ArrayList<>();
    ByteArrayOutputStream open = new ByteArrayOutputStream();
    while (in.remaining() >= HEADER) {
      int left = BLOCK - in.position() % BLOCK;
      if (left < HEADER) {
        in.position(Math.min(in.limit(), in.position() + left));
        continue;
      }
      in.getInt();
      int length = in.getShort() & 0xFFFF;
      int kind = in.get();
      if (kind == 0) {
        break; // room that was reserved
      }
      byte[] part = new byte[length];
      in.get(part);
      if (kind == FULL || kind == FIRST) {
        open.reset();
      }
      if (kind <= LAST) { // others are about the log itself
        open.writeBytes(part);
      }
      if (kind == FULL || kind == LAST) {
        batches.add(open.toByteArray());
      }
    }
    return batches;
  }
}
