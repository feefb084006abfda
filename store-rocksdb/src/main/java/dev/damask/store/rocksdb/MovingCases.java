package dev.damask.store.rocksdb;

import dev.damask.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/// The case that each shard currently executes, in a mapped file. Recording one costs a few memory
/// writes, and the operating system keeps them when the process dies. A power loss may lose them,
/// which is harmless: the cases did not cause it.
final class MovingCases {
  private static final String FILE = "moving";
  private static final int SHARDS_MAX = 256;
  private static final int SLOT = 136;
  private static final int SIZE = SHARDS_MAX * SLOT;

  private final MappedByteBuffer slots;
  private final List<String> found = new ArrayList<>();

  MovingCases(Path folder) {
    try (FileChannel channel =
        FileChannel.open(
            folder.resolve(FILE),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      slots = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
    } catch (IOException e) {
      throw new StoreException("store " + folder + ": cannot write: " + e, e);
    }
    for (int shard = 0; shard < SHARDS_MAX; shard++) {
      int length = slots.getInt(shard * SLOT);
      if (length > 0 && length <= SLOT - Integer.BYTES) {
        byte[] id = new byte[length];
        slots.get(shard * SLOT + Integer.BYTES, id);
        found.add(new String(id, StandardCharsets.US_ASCII));
      }
      slots.putInt(shard * SLOT, 0);
    }
  }

  /// Returns the cases that were executing when the previous process ended.
  List<String> found() {
    return List.copyOf(found);
  }

  /// Records the case of a shard. Case ids have at most 128 ASCII bytes, so they always fit.
  void set(int shard, String caseId) {
    ByteBuffer slot = slots;
    if (!caseId.isEmpty()) {
      for (int i = 0; i < caseId.length(); i++) {
        slot.put(shard * SLOT + Integer.BYTES + i, (byte) caseId.charAt(i));
      }
    }
    slot.putInt(shard * SLOT, caseId.length());
  }
}
