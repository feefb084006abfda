package dev.damask.store.rocksdb;

import dev.damask.store.StoreException;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// The last durable write of a store, in a mapped file next to RocksDB's files. RocksDB silently
/// drops a truncated end of its write-ahead log or MANIFEST, because a crash also leaves one. This
/// file distinguishes the two.
///
/// The sequence number is stored after the sync of the write-ahead log has returned, so it is never
/// ahead of the durable data. The operating system keeps it when the process is killed. After a
/// power loss it is as old as the last [#force], which follows each change of RocksDB's files.
final class DurableMark {
  static final String FILE = "durable";

  private static final int SIZE = 128;
  private static final int VERSION = 1;

  // Offsets. Each number is aligned, so that a reader never sees a partial write.
  private static final int VERSION_AT = 0;
  private static final int MANIFEST_NUMBER_AT = 8;
  private static final int MANIFEST_SIZE_AT = 16;
  private static final int SEQUENCE_AT = 24;
  private static final int CASES_AT = 32;

  private final Path folder;
  private final Path data;
  private final MappedByteBuffer bytes;

  private DurableMark(Path folder, Path data, MappedByteBuffer bytes) {
    this.folder = folder;
    this.data = data;
    this.bytes = bytes;
  }

  /// Maps the file of a store and creates it if necessary.
  static DurableMark open(Path folder, Path data) {
    try (FileChannel channel =
        FileChannel.open(
            folder.resolve(FILE),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      MappedByteBuffer bytes = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
      if (bytes.getLong(VERSION_AT) > VERSION) {
        throw new StoreException(
            ("store %s: the file '%s' has version %d, this version reads %d; use the"
                    + " version that wrote it")
                .formatted(folder, FILE, bytes.getLong(VERSION_AT), VERSION));
      }
      return new DurableMark(folder, data, bytes);
    } catch (IOException e) {
      throw new StoreException("store " + folder + ": cannot write: " + e, e);
    }
  }

  /// Returns whether the file was written before. A store of an earlier version has no such file.
  boolean isWritten() {
    return bytes.getLong(VERSION_AT) == VERSION;
  }

  /// The sequence number of the last durable write and the number of cases after it.
  record Counts(long sequence, long cases) {}

  Counts counts() {
    return new Counts(bytes.getLong(SEQUENCE_AT), bytes.getLong(CASES_AT));
  }

  /// Throws `StoreException` if files of the store are missing or shorter than before. It runs
  /// before RocksDB opens them, because opening removes files that a truncated MANIFEST does not
  /// name.
  void requireFiles() {
    boolean isEmpty = isEmpty(data);
    if (isEmpty && isWritten()) {
      throw lost("the directory '" + data.getFileName() + "' is missing or empty");
    }
    if (isEmpty) {
      return;
    }
    if (!Files.exists(data.resolve("CURRENT"))) {
      throw lost("the file CURRENT is missing");
    }
    if (!isWritten()) {
      return;
    }
    long number = manifestNumber();
    long size = manifestSize(number);
    if (number < bytes.getLong(MANIFEST_NUMBER_AT)) {
      throw lost(
          "CURRENT names MANIFEST-%06d, which is older than MANIFEST-%06d"
              .formatted(number, bytes.getLong(MANIFEST_NUMBER_AT)));
    }
    if (number == bytes.getLong(MANIFEST_NUMBER_AT) && size < bytes.getLong(MANIFEST_SIZE_AT)) {
      throw lost(
          "MANIFEST-%06d has %d bytes, expected at least %d"
              .formatted(number, size, bytes.getLong(MANIFEST_SIZE_AT)));
    }
  }

  /// Throws `StoreException` if RocksDB has opened the store without its last durable writes.
  void requireSequence(long found) {
    long durable = counts().sequence();
    if (isWritten() && found < durable) {
      throw lost(
          "its last write has number %d, but write %d was durable; the write-ahead log or the"
                  .formatted(found, durable)
              + " MANIFEST was truncated or removed");
    }
  }

  private StoreException lost(String what) {
    return new StoreException(
        ("store %s: data is missing: %s; restore the files or a backup, or remove the file"
                + " '%s' to continue without the missing data")
            .formatted(folder, what, FILE));
  }

  /// Records a write whose sync has returned.
  void durable(long sequence, long cases) {
    bytes.putLong(CASES_AT, cases);
    bytes.putLong(SEQUENCE_AT, sequence);
  }

  /// Records RocksDB's current MANIFEST and syncs the mark.
  void force() {
    long number = manifestNumber();
    bytes.putLong(MANIFEST_SIZE_AT, 0); // so that a size never appears with another file's number
    bytes.putLong(MANIFEST_NUMBER_AT, number);
    bytes.putLong(MANIFEST_SIZE_AT, manifestSize(number));
    bytes.putLong(VERSION_AT, VERSION);
    bytes.force();
  }

  private long manifestNumber() {
    try {
      String name = Files.readString(data.resolve("CURRENT"), StandardCharsets.US_ASCII).strip();
      return Long.parseLong(name.substring(name.lastIndexOf('-') + 1));
    } catch (IOException | IllegalArgumentException e) {
      throw lost("cannot read the file CURRENT: " + e.getMessage());
    }
  }

  private long manifestSize(long number) {
    String name = "MANIFEST-%06d".formatted(number);
    try {
      return Files.size(data.resolve(name));
    } catch (NoSuchFileException e) {
      throw lost("the file " + name + " is missing");
    } catch (IOException e) {
      throw new StoreException("store " + folder + ": cannot read: " + e, e);
    }
  }

  private static boolean isEmpty(Path data) {
    String[] names = data.toFile().list();
    return names == null || names.length == 0;
  }
}
