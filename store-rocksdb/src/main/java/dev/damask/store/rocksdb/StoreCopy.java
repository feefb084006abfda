package dev.damask.store.rocksdb;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Turns a checkpoint, whose table files are hard links, into a copy that shares no file with the
/// store, because corruption of a store's file must not affect its backup.
final class StoreCopy {
  private StoreCopy() {}

  /// Copies every file durably and removes the checkpoint. The target appears under its name only
  /// when it is complete.
  static void move(Path checkpoint, Path target) throws IOException {
    Path unfinished = target.resolveSibling(target.getFileName() + ".copy");
    OwnerOnly.create(unfinished);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(checkpoint)) {
      for (Path file : files) {
        Path copy = unfinished.resolve(file.getFileName());
        Files.copy(file, copy);
        try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
          channel.force(true);
        }
        Files.delete(file);
      }
    }
    Files.delete(checkpoint);
    Files.move(unfinished, target);
  }
}
