package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Streams;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CommandTreeTest {
  @TempDir Path folder;

  @Test
  void the_version_names_the_release_and_the_java_it_runs_on() {
    Shell shell = damask("--version");

    assertThat(shell.out()).matches("damask \\d+\\.\\d+\\.\\d+\\S* \\(Java 25\\S*\\)\n");
    assertThat(shell.exit()).isZero();
  }

  @Test
  void help_shows_commands_and_examples() {
    Shell shell = damask("--help");

    assertThat(shell.exit()).isZero();
    assertThat(shell.out())
        .contains("Usage: damask", "Examples:", "damask run order.yaml --events")
        .contains("run", "test", "check", "compile", "draw", "replay", "schema", "completion");
    assertThat(damask("run", "--help").out()).contains("--scheduler", "Exit codes:", "deadlocked");
  }

  @Test
  void the_help_command_shows_the_help_of_a_command() {
    assertThat(damask("help")).isEqualTo(damask("--help"));
    assertThat(damask("help", "run")).isEqualTo(damask("run", "--help"));
    assertThat(damask("help", "rum").err()).contains("did you mean 'run'?");
  }

  @Test
  void every_command_has_a_complete_sentence_in_the_help() {
    PrintWriter none = new PrintWriter(new StringWriter());
    Streams streams = new Streams(none, none, false);

    CommandTree.commandLine(streams)
        .getSubcommands()
        .forEach((name, command) ->
            assertThat(command.getCommandSpec().usageMessage().description()[0])
                .as(name)
                .matches("[A-Z][a-z]+s .*\\.")
                .hasSizeLessThan(86));
  }

  /// A second element would begin a line in the middle of the paragraph.
  @Test
  void every_option_is_described_in_one_paragraph_of_full_sentences() {
    PrintWriter none = new PrintWriter(new StringWriter());
    Streams streams = new Streams(none, none, false);

    CommandTree.commandLine(streams)
        .getSubcommands()
        .forEach((name, command) ->
            command
                .getCommandSpec()
                .args()
                .forEach(each ->
                    assertThat(each.description())
                        .as(name + " " + each.paramLabel())
                        .hasSize(1)
                        .allMatch(text -> text.matches("(?s)[A-Z].*\\."))));
  }

  @Test
  void an_unknown_command_lists_all_known_ones() {
    assertThat(damask("frobnicate").err())
        .contains("backup, ")
        .contains(", run, ")
        .contains("wake");
  }

  @Test
  void what_is_unknown_gets_the_nearest_name() {
    assertThat(damask("rum").err())
        .isEqualTo("damask: unknown command 'rum', did you mean 'run'?\n");
    assertThat(damask("run", "a.yaml", "--contxt=1").err())
        .isEqualTo("damask run: unknown option '--contxt', did you mean '--context'?\n");
    assertThat(damask("run", "--contxt").err())
        .isEqualTo("damask run: unknown option '--contxt', did you mean '--context'?\n");
    assertThat(damask("compile", "a.yaml", "b.yaml").err())
        .isEqualTo(
            "damask compile: 'b.yaml' is an unexpected argument; see 'damask compile --help'\n");
    assertThat(damask("rum").exit()).isEqualTo(Exit.INVALID);
  }

  @Test
  void what_is_missing_is_named() {
    assertThat(damask().err()).isEqualTo("damask: missing COMMAND; see 'damask --help'\n");
    assertThat(damask("run").err()).isEqualTo("damask run: missing DOC; see 'damask run --help'\n");
    assertThat(damask("check", "a.yaml", "--bound", "many").err().lines()).hasSize(1);
    assertThat(damask("run").exit()).isEqualTo(Exit.INVALID);
  }

  @Test
  void a_mistake_of_ours_is_one_line_with_a_way_to_the_details() throws IOException {
    Exception mistake = new IllegalStateException("one\ntwo", new IOException("below"));
    StringWriter brief = new StringWriter();
    StringWriter whole = new StringWriter();

    int exit = CommandTree.internal(new PrintWriter(brief, true), false, mistake);
    CommandTree.internal(new PrintWriter(whole, true), true, mistake);

    String start =
        "damask: internal error: java.lang.IllegalStateException: one two; details are in ";
    assertThat(exit).isEqualTo(Exit.INTERNAL);
    assertThat(brief.toString()).startsWith(start);
    Path file = Path.of(brief.toString().substring(start.length()).strip());
    assertThat(file).content().contains("  at ", "caused by java.io.IOException: below");
    Files.delete(file);
    assertThat(whole.toString()).contains("  at ", "caused by java.io.IOException: below");
  }

  @Test
  void completion_scripts_are_scripts() throws Exception {
    for (String shell : List.of("bash", "zsh")) {
      Shell printed = damask("completion", shell);
      assertThat(printed.exit()).isZero();
      assertThat(printed.out()).contains("--scheduler", "_complete_damask");
      assertThat(parses(printed.out())).isTrue();
    }
    assertThat(damask("completion", "fish").exit()).isEqualTo(Exit.INVALID);
  }

  private boolean parses(String script) throws IOException, InterruptedException {
    Path file = Files.writeString(folder.resolve("script"), script);
    Process bash = new ProcessBuilder("bash", "-n", file.toString()).inheritIO().start();
    return bash.waitFor(60, TimeUnit.SECONDS) && bash.exitValue() == 0;
  }
}
