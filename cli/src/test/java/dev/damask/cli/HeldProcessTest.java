package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.OwnerService;
import dev.damask.cli.command.Exit;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A service process holds a store, and commands of another process work on it.
@Timeout(240)
final class HeldProcessTest {
  @TempDir Path folder;

  private final List<Process> services = new ArrayList<>();

  private Path store() {
    return folder.resolve("store");
  }

  private Path file() {
    return store().resolve(OwnerService.FILE);
  }

  /// Starts the service and waits until it has the store open.
  private void start(String mode) throws IOException {
    String classes =
        Stream.of("jdk.module.path", "java.class.path")
            .map(name -> System.getProperty(name, ""))
            .filter(path -> !path.isEmpty())
            .collect(Collectors.joining(File.pathSeparator));
    Process service =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classes,
                HoldingService.class.getName(),
                store().toString(),
                mode)
            .redirectError(folder.resolve("said.txt").toFile())
            .start();
    services.add(service);
    BufferedReader out = service.inputReader(StandardCharsets.UTF_8);
    assertThat(out.readLine()).isEqualTo("ready");
  }

  @AfterEach
  void stop() throws InterruptedException {
    for (Process each : services) {
      each.destroyForcibly().waitFor();
    }
  }

  private Process service() {
    return services.getLast();
  }

  private Shell on(String... words) {
    return Shell.onStore(
        store().toString(),
        words[0],
        List.of(words).subList(1, words.length).toArray(String[]::new));
  }

  @Test
  void commands_work_beside_the_service_that_holds_the_store() throws Exception {
    start("served");

    Shell cases = on("cases");

    assertThat(cases.err()).isEmpty();
    assertThat(cases.out()).contains("waiting", "order-1");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    assertThat(on("complete", "order-1", "pack", "--data", "{\"parcel\": 7}").out())
        .isEqualTo("order-1: accepted; waiting for task ship\n");
    assertThat(on("show", "order-1").out()).contains("written in Java", "parcel: 7");
    assertThat(on("run", "missing.yaml").exit()).isEqualTo(Exit.INVALID);

    service().getOutputStream().close();
    assertThat(service().waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(file()).doesNotExist();
    assertThat(on("cases").out()).isEqualTo(cases.out());
  }

  @Test
  void after_the_service_is_killed_commands_open_the_store_themselves() throws Exception {
    start("served");
    assertThat(on("cases").exit()).isZero();

    service().destroyForcibly();

    assertThat(service().waitFor()).as("killed by signal 9").isEqualTo(137);
    assertThat(file()).exists();
    assertThat(on("cases").out()).contains("order-1");
    assertThat(on("verify").exit()).isZero();
  }

  @Test
  void a_service_that_is_not_to_be_served_is_left_alone() throws Exception {
    Files.createDirectories(store());
    Files.writeString(file(), "{\"url\":\"http://127.0.0.1:1\",\"token\":\"x\",\"process\":1}");
    start("alone");
    assertThat(file()).as("a stale file").doesNotExist();
    Files.writeString(file(), "{\"url\":\"http://127.0.0.1:1\",\"token\":\"x\",\"process\":1}");

    Shell cases = on("cases");

    assertThat(cases.exit()).isEqualTo(Exit.INVALID);
    assertThat(cases.err())
        .isEqualTo(
            "damask: store %s: in use by process %d; close that engine first\n"
                .formatted(store(), service().pid()));
  }

  @Test
  void only_the_token_in_the_file_is_accepted() throws Exception {
    start("served");
    assertThat(on("cases").exit()).isZero();
    String text = Files.readString(file());
    String url = text.replaceAll(".*\"url\": ?\"([^\"]*)\".*", "$1");
    String token = text.replaceAll(".*\"token\": ?\"([^\"]*)\".*", "$1");
    assertThat(url).startsWith("http://127.0.0.1:");
    assertThat(token).hasSizeGreaterThan(40);

    assertThat(damask("cases", "--server", url, "--token", token).out()).contains("order-1");
    assertThat(damask("cases", "--server", url, "--token", "guessed").err())
        .isEqualTo(
            "damask: %s: the server does not know the token; set DAMASK_TOKEN or --token\n"
                .formatted(url));
    Files.writeString(file(), text.replace(token, "guessed"));
    assertThat(on("cases").err()).contains("does not know the token");
  }
}
