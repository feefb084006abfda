package dev.damask.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The test of the tests of the modules: each planted bug is found by a general test.
/// `-Ddamask.mutants=all` also runs those whose tests take long.
@Timeout(300)
final class ModuleMutantsTest {
  private static final boolean ALL = System.getProperty("damask.mutants", "").equals("all");

  /// The tests of the nursery list all threads of the JVM, as its module may.
  private static final List<String> LISTS_THREADS =
      List.of("env", "JDK_JAVA_OPTIONS=--add-exports=java.base/jdk.internal.vm=ALL-UNNAMED");

  @TempDir Path folder;

  static Stream<ModuleMutant> mutants() {
    return Arrays.stream(ModuleMutant.values())
        .filter(each -> ALL || each.kind != ModuleMutant.Kind.SLOW);
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void the_tests_of_the_modules_find(ModuleMutant mutant) throws Exception {
    Duration before = cpu();

    String found =
        mutant.kind == ModuleMutant.Kind.ALONE ? searchAlone(mutant) : MutantSearch.find(mutant);

    assertThat(found).startsWith(mutant + ": found by " + mutant.test);
    System.out.printf("%s (%d ms of CPU)%n", found, cpu().minus(before).toMillis());
  }

  private static Duration cpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private String searchAlone(ModuleMutant mutant) throws IOException, InterruptedException {
    Process process =
        Java.start(LISTS_THREADS, folder, MutantSearch.class.getName(), mutant.toString());
    try {
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(out + errors()).isZero();
      return out.substring(Math.max(0, out.indexOf(mutant + ": "))).strip();
    } finally {
      process.destroyForcibly();
    }
  }

  private String errors() throws IOException {
    return Files.readString(folder.resolve(MutantSearch.class.getSimpleName() + ".err"));
  }
}
