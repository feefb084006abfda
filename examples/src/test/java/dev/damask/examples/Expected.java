package dev.damask.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// Compares what an example prints with the file that says what it should print.
public final class Expected {
  /// The code of an example.
  @FunctionalInterface
  public interface Example {
    void run(PrintStream out) throws Exception;
  }

  private Expected() {}

  /// Runs an example and compares.
  ///
  /// @param file below `src/test/resources/dev/damask/examples`
  public static void compare(String file, Example example) throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      example.run(out);
    }
    Path expected = Path.of("src/test/resources/dev/damask/examples", file);

    assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo(Files.readString(expected));
  }
}
