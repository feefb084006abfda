package dev.damask.store.rocksdb;

import dev.damask.value.Encoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/// The changes of one write in RocksDB's `WriteBatch` format: twelve bytes with a sequence number
/// and a count, then for each change its kind, key and value. Passing all of them at once avoids a
/// native call per key. The changes are sorted by key, so that each insert into the memtable is
/// next to the one before.
///
/// Long arrays such as the state of a case are kept until [#toBytes], which copies each of them
/// once.
final class WriteBatchBytes {
  private static final int HEAD = Long.BYTES + Integer.BYTES;
  private static final int KEPT_MAX = 1 << 22;
  private static final int LENGTH_MAX = 5;

  private static final byte DELETE = 0;
  private static final byte PUT = 1;
  private static final byte DELETE_RANGE = 15;

  /// One change: a range of the buffer, with long arrays in between.
  private static final class Change {
    private final byte[] key;
    private final int from;
    private final List<Kept> kept = new ArrayList<>(0);
    private int to;

    Change(byte[] key, int from) {
      this.key = key;
      this.from = from;
    }
  }

  /// An array that is before a position of the buffer.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Kept(int at, byte[] bytes) {}

  private final List<Change> changes = new ArrayList<>();
  private final Encoder encoder = new Encoder();
  private byte[] buffer = new byte[1 << 16];
  private int length;
  private int keptLength;
  private boolean hasRange;

  void put(byte[] key, byte[] value) {
    begin(PUT, key);
    size(value.length);
    add(value, 0, value.length, value.length >= Encoder.KEPT_MIN);
    end();
  }

  /// Adds a change whose value is written by the function into an empty encoder.
  void put(byte[] key, Consumer<Encoder> value) {
    encoder.clear();
    value.accept(encoder);
    begin(PUT, key);
    size(encoder.length());
    encoder.forEach(this::add);
    encoder.clear();
    end();
  }

  private void add(byte[] bytes, int from, int count, boolean isKept) {
    if (isKept && count == bytes.length) {
      changes.getLast().kept.add(new Kept(length, bytes));
      keptLength += count;
      return;
    }
    reserve(count);
    System.arraycopy(bytes, from, buffer, length, count);
    length += count;
  }

  void delete(byte[] key) {
    begin(DELETE, key);
    end();
  }

  /// Deletes the keys from the first, inclusive, to the second, exclusive.
  void deleteRange(byte[] from, byte[] to) {
    begin(DELETE_RANGE, from);
    bytes(to);
    end();
    hasRange = true;
  }

  /// Returns the size in bytes.
  int length() {
    return length + keptLength;
  }

  private void begin(byte kind, byte[] key) {
    changes.add(new Change(key, length));
    reserve(1);
    buffer[length++] = kind;
    bytes(key);
  }

  private void end() {
    changes.getLast().to = length;
  }

  private void bytes(byte[] bytes) {
    size(bytes.length);
    add(bytes, 0, bytes.length, false);
  }

  private void size(int size) {
    reserve(LENGTH_MAX);
    int rest = size;
    while (rest >= 0x80) {
      buffer[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[length++] = (byte) rest;
  }

  private void reserve(int more) {
    if (length + more > buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + more));
    }
  }

  /// Returns all changes for the constructor of `WriteBatch`. Changes of one key keep their order.
  /// If there is a range deletion, all changes keep their order, because it affects more keys than
  /// the one it begins with.
  byte[] toBytes() {
    if (!hasRange) {
      changes.sort((one, other) -> Arrays.compareUnsigned(one.key, other.key));
    }
    ByteBuffer all = ByteBuffer.allocate(HEAD + length()).order(ByteOrder.LITTLE_ENDIAN);
    all.putLong(0).putInt(changes.size());
    for (Change change : changes) {
      int from = change.from;
      for (Kept each : change.kept) {
        all.put(buffer, from, each.at - from).put(each.bytes);
        from = each.at;
      }
      all.put(buffer, from, change.to - from);
    }
    return all.array();
  }

  void clear() {
    changes.clear();
    length = 0;
    keptLength = 0;
    hasRange = false;
    if (buffer.length > KEPT_MAX) {
      buffer = new byte[1 << 16];
    }
  }
}
