package dev.damask.store.rocksdb;

import dev.damask.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// The lock of one process on a store's directory: a locked file that contains the process id. The
/// operating system releases the lock when the process ends in any way.
final class StoreLock implements AutoCloseable {
  private static final String FILE = "holder";
  private static final int TEXT_MAX = 200;

  private final FileChannel channel;

  private StoreLock(FileChannel channel) {
    this.channel = channel;
  }

  static StoreLock claim(Path folder) {
    try {
      OwnerOnly.create(folder);
      FileChannel channel =
          FileChannel.open(
              folder.resolve(FILE),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      if (lock(channel) == null) {
        String who = read(channel);
        channel.close();
        throw new StoreException.Held(
            "store %s: in use by %s; close that engine first".formatted(folder, who), who);
      }
      byte[] text = ("process " + ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8);
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(text), 0);
      return new StoreLock(channel);
    } catch (IOException e) {
      String why =
          switch (e) {
            case AccessDeniedException _ -> "access denied";
            case NoSuchFileException _ -> "no files can be created there";
            default -> String.valueOf(e.getMessage());
          };
      throw new StoreException(
          "store %s: cannot lock: %s; name a directory that can be written".formatted(folder, why),
          e);
    }
  }

  /// Tries to lock the file. Returns null if another process holds the lock.
  private static @Nullable FileLock lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // held by this process
    }
  }

  private static String read(FileChannel channel) throws IOException {
    ByteBuffer text = ByteBuffer.allocate(TEXT_MAX);
    channel.read(text, 0);
    String who = new String(text.array(), 0, text.position(), StandardCharsets.UTF_8);
    return who.isEmpty() ? "another process" : who;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new StoreException("cannot release the lock of the store: " + e, e);
    }
  }
}
