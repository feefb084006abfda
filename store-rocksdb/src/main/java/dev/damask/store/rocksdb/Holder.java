package dev.damask.store.rocksdb;

import dev.damask.store.StoreFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// The claim of one process on a folder: a locked file that says who holds it. The system releases
/// the lock when the process dies, however it dies.
final class Holder implements AutoCloseable {
  private static final String FILE = "holder";
  private static final int TEXT_MAX = 200;

  private final FileChannel channel;

  private Holder(FileChannel channel) {
    this.channel = channel;
  }

  static Holder claim(Path folder) {
    try {
      Files.createDirectories(folder);
      FileChannel channel =
          FileChannel.open(
              folder.resolve(FILE),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      if (lock(channel) == null) {
        String who = read(channel);
        channel.close();
        throw new StoreFailure(
            "the store in %s is held by %s: close that engine first".formatted(folder, who));
      }
      byte[] text = ("process " + ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8);
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(text), 0);
      return new Holder(channel);
    } catch (IOException e) {
      throw new StoreFailure("the store in " + folder + " cannot be claimed: " + e, e);
    }
  }

  /// Null when somebody else has it.
  private static @Nullable FileLock lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // this process has it
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
      throw new StoreFailure("the claim on the store cannot be released: " + e, e);
    }
  }
}
