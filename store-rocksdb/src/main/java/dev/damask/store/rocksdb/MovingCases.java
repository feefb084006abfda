package dev.damask.store.rocksdb;

import dev.damask.store.StoreFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/// Which case each shard moves right now, in a mapped file. Writing costs a few stores to memory,
/// and the system keeps them when the process dies, however it dies. A power loss may lose them,
/// and that does no harm: it was not a case that cut the power.
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
      throw new StoreFailure("the store in " + folder + " cannot be written: " + e, e);
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

  /// What the process before this one left behind.
  List<String> found() {
    return List.copyOf(found);
  }

  /// Ids of cases have at most 128 bytes of ASCII, so they always fit.
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
