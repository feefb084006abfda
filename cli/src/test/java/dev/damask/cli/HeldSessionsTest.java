package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.OwnerService;
import dev.damask.cli.command.StoreFolder;
import dev.damask.session.SessionOptions;
import dev.damask.session.Sessions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The commands on sessions print the same while an engine holds the store.
@Timeout(120)
final class HeldSessionsTest {
  private static final List<List<String>> READS =
      List.of(
          List.of("sessions"),
          List.of("sessions", "--json"),
          List.of("sessions", "--processes"),
          List.of("sessions", "--processes", "--session", "1", "--json"),
          List.of("sessions", "--wakeable"),
          List.of("sessions", "--wakeable", "--json"),
          List.of("session", "1"),
          List.of("session", "1", "--json"),
          List.of("session", "1", "--log"),
          List.of("session", "9"),
          List.of("graphs", "list"),
          List.of("rules", "list"));

  @TempDir Path folder;

  private Shell on(List<String> words) {
    List<String> all = new ArrayList<>(words);
    all.addAll(List.of("--owner", "eve", "--store", folder.resolve("store").toString()));
    return damask(all.toArray(String[]::new));
  }

  @Test
  void sessions_are_shown_and_changed_while_their_store_is_held() {
    Path store = folder.resolve("store");
    OrderSession.start(store.toString());
    List<Shell> before = READS.stream().map(this::on).toList();

    try (Sessions sessions =
        Sessions.open(SessionOptions.defaults(), new StoreFolder(store).open())) {
      while (!Files.exists(store.resolve(OwnerService.FILE))) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(sessions.engine().stopReason()).isEmpty();

      assertThat(READS.stream().map(this::on).toList()).isEqualTo(before);
      assertThat(on(List.of("pause", "1")).out()).isEqualTo("paused eve/1\n");
      assertThat(on(List.of("session", "1")).out()).contains("(paused)");
      assertThat(on(List.of("resume", "1")).out()).isEqualTo("resumed eve/1\n");
      assertThat(on(List.of("wake", "1", "--step", "Decide", "--as", "bob")).err())
          .contains("--as does not work over HTTP");
      assertThat(on(List.of("kill", "1")).out()).startsWith("killed eve/1");
    }
    assertThat(on(List.of("session", "1")).out()).contains("cancelled");
  }
}
