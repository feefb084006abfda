package dev.damask.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The files of the repository, as they lie in the working tree without what a build makes.
final class Repository {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final List<String> SKIPPED =
      List.of(".git", "target", "node_modules", ".idea", ".vscode");

  private Repository() {}

  static List<Path> files() {
    try (Stream<Path> all = Files.walk(ROOT)) {
      return all.filter(Files::isRegularFile).filter(Repository::isOurs).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isOurs(Path file) {
    for (Path part : ROOT.relativize(file)) {
      if (SKIPPED.contains(part.toString())) {
        return false;
      }
    }
    return true;
  }

  static List<Path> java() {
    return files().stream().filter(file -> file.toString().endsWith(".java")).toList();
  }

  static String name(Path file) {
    return ROOT.relativize(file).toString();
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  static String read(String name) {
    return read(ROOT.resolve(name));
  }

  /// The text of every source of the kernel.
  static String kernel() {
    StringBuilder text = new StringBuilder();
    for (Path file : java()) {
      if (name(file).startsWith("kernel/src/main/")) {
        text.append(read(file)).append('\n');
      }
    }
    return text.toString();
  }
}
