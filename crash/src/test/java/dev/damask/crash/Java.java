package dev.damask.crash;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Starts one of our programs in a Java of its own.
final class Java {
  private Java() {}

  /// @param wrapper a program that starts the other one, with its arguments; empty for none
  /// @param program the name of its class
  /// @param folder where it leaves what it writes to its error stream, and its temporary files,
  ///   among them the library that RocksDB unpacks and a killed process does not remove
  static Process start(List<String> wrapper, Path folder, String program, String... arguments) {
    return start(wrapper, "-Xmx256m", folder, program, arguments);
  }

  /// As above, with another bound of the heap.
  static Process start(
      List<String> wrapper, String heap, Path folder, String program, String... arguments) {
    List<String> command = new ArrayList<>(wrapper);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-ea",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            heap,
            "-Djava.io.tmpdir=" + folder.resolve("tmp"),
            "--enable-native-access=ALL-UNNAMED"));
    String classes =
        Stream.of("jdk.module.path", "java.class.path")
            .map(name -> System.getProperty(name, ""))
            .filter(path -> !path.isEmpty())
            .collect(Collectors.joining(File.pathSeparator));
    command.addAll(List.of("-cp", classes, program));
    command.addAll(List.of(arguments));
    try {
      Files.createDirectories(folder.resolve("tmp"));
      return new ProcessBuilder(command)
          .redirectError(
              ProcessBuilder.Redirect.appendTo(
                  folder
                      .resolve(program.substring(program.lastIndexOf('.') + 1) + ".err")
                      .toFile()))
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
