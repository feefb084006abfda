package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Streams;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Every command either works on a held store and at a server, or reports that it does not. A new
/// command must be in one of the two lists.
@Timeout(240)
final class EveryCommandAtServerTest {
  /// Commands on files, and the ones that prepare stores or are the server.
  private static final Set<String> LOCAL =
      Set.of("serve", "test", "check", "compile", "replay", "store", "schema", "completion");

  /// A command line of each other command; its output must be the same everywhere.
  private static final Map<String, String> LINES =
      Map.ofEntries(
          entry("run", "run DOC --id one"),
          entry("draw", "draw w"),
          entry("cases", "cases --json"),
          entry("show", "show two"),
          entry("receipt", "receipt two"),
          entry("signal", "signal one nowhere"),
          entry("complete", "complete one a"),
          entry("fail", "fail one b --reason broken"),
          entry("cancel", "cancel three"),
          entry("retry", "retry two"),
          entry("incidents", "incidents"),
          entry("migrate", "migrate --plan NEWER"),
          entry("change", "change two 99 --data {} --reason typo"),
          entry("restart", "restart two four"),
          entry("delete", "delete two"),
          entry("schedules", "schedules"),
          entry("verify", "verify"),
          entry("backup", "backup"),
          entry("graphs", "graphs list"),
          entry("rules", "rules list"),
          entry("sessions", "sessions"),
          entry("session", "session 1"),
          entry("wake", "wake 1 --process 1"),
          entry("pause", "pause 1"),
          entry("resume", "resume 1"),
          entry("kill", "kill 1"));

  @TempDir Path folder;

  private ThreePlaces places;
  private Map<String, CommandLine> commands;

  @BeforeEach
  void open() throws Exception {
    places = new ThreePlaces(folder);
    PrintWriter none = new PrintWriter(new StringWriter());
    commands = CommandTree.commandLine(new Streams(none, none, false)).getSubcommands();
  }

  @AfterEach
  void close() throws Exception {
    places.close();
  }

  private String[] words(String name) {
    List<String> all = new ArrayList<>();
    for (String each : Objects.requireNonNull(LINES.get(name)).split(" ", -1)) {
      all.add(each.equals("DOC") ? places.document : each.equals("NEWER") ? places.newer : each);
    }
    return all.toArray(String[]::new);
  }

  @Test
  void every_command_is_in_one_of_the_lists() {
    Set<String> listed = new TreeSet<>(LOCAL);
    listed.addAll(LINES.keySet());
    listed.add("nodes"); // on clusters only

    assertThat(commands.keySet()).containsExactlyInAnyOrderElementsOf(listed);
    commands.forEach((name, command) ->
        assertThat(command.getCommandSpec().optionsMap().containsKey("--server"))
            .as(name)
            .isEqualTo(!LOCAL.contains(name)));
  }

  @Test
  void every_command_prints_the_same_on_a_store_a_held_store_and_at_a_server() {
    for (String name : new TreeSet<>(LINES.keySet())) {
      Shell shell = places.same(words(name));

      assertThat(shell.exit()).as(name + ": " + shell.err()).isNotEqualTo(Exit.INTERNAL);
      assertThat(shell.err()).doesNotContain("does not work over HTTP");
    }
  }

  @Test
  void commands_that_cannot_work_at_a_server_say_so() {
    for (String name : LOCAL) {
      Shell shell = damask(name, "--server=http://127.0.0.1:1");

      assertThat(shell.err())
          .startsWith("damask " + name + ": works with files and stores of this machine")
          .hasLineCount(1);
      assertThat(shell.exit()).isEqualTo(Exit.INVALID);
    }
  }

  @Test
  void a_server_without_a_cluster_has_no_nodes() {
    Shell shell = ThreePlaces.on(places.server, "nodes");

    assertThat(shell.exit()).as(shell.err()).isZero();
    assertThat(shell.out()).contains("heartbeat").hasLineCount(1);
    assertThat(ThreePlaces.on(places.held, "nodes").err()).contains("expected a URL");
  }
}
