package dev.damask.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The script at the root of the repository, as far as it does not build.
final class LauncherTest {
  private static final Path SCRIPT = Path.of("..", "damask").toAbsolutePath().normalize();

  @TempDir Path folder;

  @Test
  void a_java_home_of_25_is_taken() throws Exception {
    Path jdk = jdk("mine", "25.0.9");

    assertThat(found(SCRIPT, jdk)).isEqualTo(jdk.toString());
  }

  @Test
  void an_older_java_home_is_passed_over_for_one_beside_it() throws Exception {
    Path old = jdk("old", "17.0.2");
    Path newer = jdk(".sdkman/candidates/java/25-tem", "25");
    jdk(".sdkman/candidates/java/21-tem", "21.0.1");

    assertThat(found(SCRIPT, old)).isEqualTo(newer.toString());
  }

  @Test
  void a_version_that_only_begins_with_25_is_another() throws Exception {
    Path other = jdk("other", "250.1");

    assertThat(found(SCRIPT, other)).isNotEqualTo(other.toString());
  }

  @Test
  void the_script_works_through_a_link_from_anywhere() throws Exception {
    Path link = folder.resolve("linked");
    Files.createSymbolicLink(link, SCRIPT);
    Path jdk = jdk("mine", "25.0.9");

    assertThat(found(link, jdk)).isEqualTo(jdk.toString());
  }

  private Path jdk(String name, String version) throws IOException {
    Path home = folder.resolve(name);
    Files.createDirectories(home.resolve("bin"));
    Path java = Files.writeString(home.resolve("bin/java"), "#!/bin/sh\nexit 1\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Files.writeString(
        home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  private String found(Path script, Path javaHome) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(List.of(script.toString(), "--find-jdk"));
    builder.environment().put("JAVA_HOME", javaHome.toString());
    builder.environment().put("HOME", folder.toString());
    builder.directory(folder.toFile());
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return out.strip();
  }
}
