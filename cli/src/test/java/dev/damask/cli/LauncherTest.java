package dev.damask.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.ObjectInputFilter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  @Test
  void every_command_runs_with_a_filter_that_refuses_serialised_objects() throws Exception {
    Path jdk = echoing();
    Path script = prepared("repository/cli/target", jdk, "25.0.9+1");

    for (String command : List.of("run", "check", "verify")) {
      assertThat(output(jdk, script.toString(), command).lines())
          .contains("-Djdk.serialFilter=!*", "the.jar", command);
    }
  }

  @Test
  void a_checkout_that_cannot_be_written_is_prepared_in_the_cache_directory() throws Exception {
    Path jdk = echoing();
    Path root = Files.createDirectories(folder.resolve("repository"));
    Files.writeString(root.resolve("cli"), "a file, so that no directory can be created here");
    String sum = output(jdk, "sh", "-c", "printf %s '" + root.toRealPath() + "' | cksum");
    Path script = prepared(".cache/damask/" + sum.split(" ", 2)[0], jdk, "25.0.9+1");

    assertThat(output(jdk, script.toString(), "run").lines()).contains("the.jar", "run");
  }

  @Test
  void without_any_directory_that_can_be_written_the_launcher_exits_with_70() throws Exception {
    Path jdk = echoing();
    Path script = prepared("elsewhere", jdk, "25.0.9+1");
    Files.writeString(folder.resolve("repository/cli"), "");
    Files.writeString(folder.resolve(".cache"), "");

    Process process = start(jdk, script.toString(), "run");
    String error = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).isEqualTo(70);
    assertThat(error).contains("cannot write to").contains("XDG_CACHE_HOME");
  }

  @Test
  void another_runtime_version_of_the_jdk_is_prepared_again() throws Exception {
    Path jdk = echoing();
    Path script = prepared("repository/cli/target", jdk, "25.0.9+0");
    Path launch = folder.resolve("repository/cli/target/launch");
    Files.createFile(folder.resolve("repository/cli/target/launch-begin"));

    output(jdk, script.toString(), "run");

    assertThat(Files.readString(launch.resolve("start"))).contains("\n25.0.9+1\n");
    assertThat(Files.readString(launch.resolve("training.log"))).contains("-XX:AOTCacheOutput=");
    assertThat(launch.resolve("classes.aot")).doesNotExist(); // the run made no cache
    assertThat(output(jdk, script.toString(), "run")).doesNotContain("-XX:AOTCache=");
  }

  @Test
  void a_call_that_is_killed_when_it_has_locked_the_build_blocks_no_later_one() throws Exception {
    Path jdk = echoing();
    Path script = prepared("repository/cli/target", jdk, "25.0.9+0");
    Files.createFile(folder.resolve("repository/cli/target/launch-begin"));
    onLock("\"$real\" \"$@\"; kill -9 \"$PPID\"; exit 0");

    Process killed = startWithTools(jdk, script.toString(), "run");

    assertThat(killed.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(killed.exitValue()).isEqualTo(137);
    assertThat(output(jdk, script.toString(), "run").lines())
        .contains("dev.damask.cli.Main", "run");
  }

  @Test
  void a_lock_that_is_released_when_a_call_finds_it_is_no_error() throws Exception {
    Path jdk = echoing();
    Path script = prepared("repository/cli/target", jdk, "25.0.9+0");
    Files.createFile(folder.resolve("repository/cli/target/launch-begin"));
    Path once = folder.resolve("once");
    onLock("[ -e %s ] && exec \"$real\" \"$@\"; touch %s; exit 1".formatted(once, once));

    Process process = startWithTools(jdk, script.toString(), "run");
    String error = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(once).exists();
    assertThat(error).doesNotContain("cannot write");
    assertThat(process.exitValue()).isZero();
  }

  @Test
  void a_call_waits_for_the_build_of_a_process_that_runs_and_leaves_no_lock() throws Exception {
    Path jdk = echoing();
    Path script = prepared("repository/cli/target", jdk, "25.0.9+0");
    Path work = folder.resolve("repository/cli/target");
    Files.createFile(work.resolve("launch-begin"));
    Process owner = new ProcessBuilder("sleep", "60").start();
    Files.createSymbolicLink(work.resolve("launch.owner"), Path.of("" + owner.pid()));

    Process waiting = start(jdk, script.toString(), "run");
    assertThat(waiting.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
    owner.destroyForcibly().waitFor();

    assertThat(waiting.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(waiting.exitValue()).isZero();
    try (var files = Files.list(work)) {
      assertThat(files.map(each -> each.getFileName().toString()))
          .doesNotContain("launch.lock")
          .noneMatch(each -> each.startsWith("launch.owner"));
    }
  }

  /// Puts commands before those of the system that run `text` when the script creates its lock.
  private void onLock(String text) throws IOException {
    Path tools = Files.createDirectories(folder.resolve("tools"));
    for (String name : List.of("ln", "mkdir")) {
      String shell =
          "#!/bin/sh\nreal=$(PATH=${PATH#*:} command -v %s)\n".formatted(name)
              + "for last; do :; done\n"
              + "case $last in */launch.owner | */launch.lock) %s ;; esac\n".formatted(text)
              + "exec \"$real\" \"$@\"\n";
      assertThat(Files.writeString(tools.resolve(name), shell).toFile().setExecutable(true))
          .isTrue();
    }
  }

  private Process startWithTools(Path javaHome, String... command) throws IOException {
    ProcessBuilder builder = builder(javaHome, command);
    builder.environment().merge("PATH", folder.resolve("tools") + ":", (old, first) -> first + old);
    return builder.start();
  }

  /// A JDK whose Java prints its arguments.
  private Path echoing() throws IOException {
    Path jdk = jdk("mine", "25.0.9");
    Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    return jdk;
  }

  /// A checkout without sources whose program was built before.
  private Path prepared(String work, Path jdk, String version) throws IOException {
    Path root = Files.createDirectories(folder.resolve("repository"));
    Path script = Files.copy(SCRIPT, root.resolve("damask"));
    Files.writeString(root.resolve("pom.xml"), "<project/>");
    Path launch = Files.createDirectories(folder.resolve(work).resolve("launch"));
    String start = "%s\n%s\n%s\nthe.jar\n".formatted(root.toRealPath(), jdk, version);
    Files.writeString(launch.resolve("start"), start);
    Files.writeString(launch.resolve("modules"), "");
    return script;
  }

  /// The filter means what the script believes it means.
  @Test
  void the_filter_refuses_every_object() {
    ObjectInputFilter filter = ObjectInputFilter.Config.createFilter("!*");

    assertThat(filter.checkInput(new Looked(ArrayList.class)))
        .isEqualTo(ObjectInputFilter.Status.REJECTED);
    assertThat(filter.checkInput(new Looked(String.class)))
        .isEqualTo(ObjectInputFilter.Status.REJECTED);
  }

  private record Looked(Class<?> serialClass) implements ObjectInputFilter.FilterInfo {
    @Override
    public long arrayLength() {
      return -1;
    }

    @Override
    public long depth() {
      return 1;
    }

    @Override
    public long references() {
      return 1;
    }

    @Override
    public long streamBytes() {
      return 1;
    }
  }

  private Path jdk(String name, String version) throws IOException {
    Path home = folder.resolve(name);
    Files.createDirectories(home.resolve("bin"));
    Path java = Files.writeString(home.resolve("bin/java"), "#!/bin/sh\nexit 1\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Files.writeString(
        home.resolve("release"),
        "IMPLEMENTOR=\"x\"\nJAVA_RUNTIME_VERSION=\"%s+1\"\nJAVA_VERSION=\"%s\"\n"
            .formatted(version, version));
    return home;
  }

  private String found(Path script, Path javaHome) throws Exception {
    return output(javaHome, script.toString(), "--find-jdk").strip();
  }

  private Process start(Path javaHome, String... command) throws IOException {
    return builder(javaHome, command).start();
  }

  private ProcessBuilder builder(Path javaHome, String... command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("JAVA_HOME", javaHome.toString());
    builder.environment().put("HOME", folder.toString());
    builder.environment().remove("XDG_CACHE_HOME");
    builder.directory(folder.toFile());
    return builder;
  }

  private String output(Path javaHome, String... command) throws Exception {
    Process process = start(javaHome, command);
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return out;
  }
}
