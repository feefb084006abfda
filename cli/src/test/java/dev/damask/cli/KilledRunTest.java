package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Real processes that are really killed while an effect is under way.
@Timeout(240)
final class KilledRunTest {
  @TempDir Path folder;

  private Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    String classes =
        Stream.of("jdk.module.path", "java.class.path")
            .map(name -> System.getProperty(name, ""))
            .filter(path -> !path.isEmpty())
            .collect(Collectors.joining(File.pathSeparator));
    command.addAll(List.of("-cp", classes, Main.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("said.txt").toFile())
        .start();
  }

  private String said() throws IOException {
    return Files.readString(folder.resolve("said.txt"), StandardCharsets.UTF_8);
  }

  private String document(StubServer server, String delivery) throws IOException {
    String text =
        """
        workflow: order
        do:
          - task: charge
            result: charged
            effect: {type: http, with: {method: POST, url: "http://PLACE/charge"}}
          - task: ship
            delivery: DELIVERY
            result: shipped
            effect: {type: http, with: {method: POST, url: "http://PLACE/ship"}}
        """;
    return Files.writeString(
            folder.resolve("order.yaml"),
            text.replace("PLACE", server.place()).replace("DELIVERY", delivery))
        .toString();
  }

  /// Kills a run while the server keeps it waiting for `/ship`, and runs it again.
  private Shell killedAndRepeated(StubServer server, CountDownLatch asked, String delivery)
      throws Exception {
    String store = folder.resolve("store").toString();
    String[] run = {
      "run", document(server, delivery), "--store", store, "--allow", server.place(), "--json"
    };
    Process first = start(run);
    try {
      assertThat(asked.await(120, TimeUnit.SECONDS)).as(said()).isTrue();
    } finally {
      first.destroyForcibly();
    }
    assertThat(first.waitFor()).as("killed by signal 9").isEqualTo(137);

    Process second = start(run);
    try {
      assertThat(second.waitFor(120, TimeUnit.SECONDS)).as(said()).isTrue();
    } finally {
      second.destroyForcibly();
    }
    assertThat(damask("verify", store).exit()).isZero();
    return new Shell(second.exitValue(), said(), "");
  }

  @Test
  void a_keyed_effect_is_sent_again_with_the_same_key_and_nothing_else_is_repeated()
      throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    AtomicBoolean hasShipped = new AtomicBoolean();
    try (StubServer server =
        new StubServer(request -> {
          if (request.path().equals("/ship") && hasShipped.compareAndSet(false, true)) {
            asked.countDown();
            return false; // done, and nobody will hear of it
          }
          return true;
        })) {
      Shell again = killedAndRepeated(server, asked, "keyed");

      assertThat(again.exit()).as(again.out()).isZero();
      assertThat(again.out()).contains("resuming case order-1", "\"status\": \"completed\"");
      List<StubServer.Seen> seen = server.seen();
      assertThat(seen)
          .extracting(StubServer.Seen::path)
          .containsExactly("/charge", "/ship", "/ship");
      assertThat(seen.get(1).key()).isEqualTo(seen.get(2).key()).startsWith("order-1:");
      assertThat(seen.get(0).key()).isNotEqualTo(seen.get(1).key());
    }
  }

  @Test
  void an_effect_of_at_most_once_is_not_sent_again() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (StubServer server =
        new StubServer(request -> {
          if (request.path().equals("/ship")) {
            asked.countDown();
            return false;
          }
          return true;
        })) {
      Shell again = killedAndRepeated(server, asked, "atMostOnce");

      assertThat(again.exit()).as(again.out()).isEqualTo(Exit.FAILED);
      assertThat(again.out()).contains("\"reason\": \"unknown_outcome\"");
      assertThat(server.seen())
          .extracting(StubServer.Seen::path)
          .containsExactly("/charge", "/ship");
      Shell shown = damask("show", folder.resolve("store").toString(), "order-1", "--json");
      assertThat((List<?>) shown.json().getFirst().get("receipts"))
          .extracting(receipt -> ((Map<?, ?>) receipt).get("result"))
          .last()
          .isEqualTo("outcome unknown");
    }
  }

  @Test
  void http_works_in_memory_too_and_reads_json() throws Exception {
    try (StubServer server = new StubServer(_ -> true)) {
      Shell shell = damask("run", document(server, "read"), "--allow", server.place(), "--json");

      assertThat(shell.exit()).as(shell.err()).isZero();
      assertThat(shell.json().getFirst().get("context"))
          .extracting("shipped")
          .extracting("status", "body")
          .containsExactly(200L, Map.of("ok", true));
      assertThat(server.seen()).extracting(StubServer.Seen::key).last().isEqualTo("");
    }
  }

  @Test
  void a_host_that_is_not_allowed_is_not_called() throws Exception {
    try (StubServer server = new StubServer(_ -> true)) {
      Shell shell = damask("run", document(server, "keyed"), "--allow", "api.example");

      assertThat(shell.exit()).isEqualTo(Exit.FAILED);
      assertThat(shell.out()).contains("reason egress_refused, task charge");
      assertThat(server.seen()).isEmpty();
    }
  }
}
