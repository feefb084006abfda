package dev.damask.store.rocksdb;

import dev.damask.store.StoreException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// Restricts the files of a store to their owner: directories have mode 0700, files 0600. Has no
/// effect on file systems without such modes.
final class OwnerOnly {
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private OwnerOnly() {}

  /// Creates a directory. Missing parents get the default modes of the process.
  static void create(Path directory) throws IOException {
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory);
    }
    set(directory, DIRECTORY);
  }

  /// Restricts a directory of a store and every file in it. RocksDB creates its files with the
  /// default modes of the process, so this must run again whenever its files have changed.
  static void restrict(Path directory) {
    try {
      set(directory, DIRECTORY);
      try (DirectoryStream<Path> files =
          Files.newDirectoryStream(directory, Files::isRegularFile)) {
        for (Path file : files) {
          set(file, FILE);
        }
      }
    } catch (IOException e) {
      throw new StoreException(
          "store " + directory + ": cannot set the modes of its files: " + e, e);
    }
  }

  private static void set(Path path, Set<PosixFilePermission> permissions) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
    if (view == null) {
      return;
    }
    try {
      if (!view.readAttributes().permissions().equals(permissions)) {
        view.setPermissions(permissions);
      }
    } catch (NoSuchFileException e) {
      // RocksDB has removed it meanwhile.
    }
  }
}
