package dev.damask.examples;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Another Java process with the classes of this one.
///
/// @param exit 137 when it was killed
public record Jvm(int exit, String out) {
  /// Runs a main to its end, whatever that is.
  public static Jvm run(Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath()));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the process does not end; it printed " + out);
      }
      return new Jvm(process.exitValue(), out);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String classPath() {
    return Stream.of("jdk.module.path", "java.class.path")
        .map(name -> System.getProperty(name, ""))
        .filter(path -> !path.isEmpty())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
