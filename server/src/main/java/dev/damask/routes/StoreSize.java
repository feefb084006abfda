package dev.damask.routes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The size of a store's directory.
final class StoreSize {
  private StoreSize() {}

  /// Returns the bytes of all files below a directory; null if there is none, or it changes while
  /// it is read.
  static @Nullable Long of(Optional<Path> folder) {
    if (folder.isEmpty()) {
      return null;
    }
    try (Stream<Path> files = Files.walk(folder.get())) {
      return files.mapToLong(StoreSize::size).sum();
    } catch (IOException | UncheckedIOException e) {
      return null;
    }
  }

  /// A file that was removed meanwhile has no size.
  private static long size(Path file) {
    try {
      return Files.isRegularFile(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      return 0;
    }
  }
}
