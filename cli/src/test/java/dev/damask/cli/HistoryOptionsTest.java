package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What `damask run` keeps of the past of a case: `--history`, `--history-bytes` and `--journal`.
@Timeout(120)
final class HistoryOptionsTest {
  private static final int ROUNDS = 60;

  @TempDir Path folder;
  private String document = "";
  private String events = "";

  @BeforeEach
  void write() throws IOException {
    document =
        Files.writeString(
                folder.resolve("w.yaml"),
                """
                workflow: w
                context: {n: 0}
                places: {p: {external: true}}
                do: {loop: {count: 100}, do: [{take: p}, {set: {n: n + 1}}]}
                """)
            .toString();
    events =
        Files.writeString(folder.resolve("events.yaml"), "- signal: p\n".repeat(ROUNDS)).toString();
  }

  private String run(String name, String... options) {
    String store = folder.resolve(name).toString();
    String[] words = new String[options.length + 5];
    System.arraycopy(options, 0, words, 5, options.length);
    System.arraycopy(new String[] {document, "--id", "c", "--events", events}, 0, words, 0, 5);
    Shell shell = Shell.onStore(store, "run", words);
    assertThat(shell.exit()).as(shell.err()).isEqualTo(Exit.WAITING);
    return store;
  }

  @Test
  void all_revisions_are_kept_by_default_and_only_some_on_request() {
    String all = run("all");
    String last = run("last", "--history", "last");
    String some = run("some", "--history", "20");
    String small = run("small", "--history-bytes", "2000");

    assertThat(Shell.onStore(all, "show", "c").out()).contains("revisions from 1 on are kept");
    assertThat(Shell.onStore(all, "show", "c", "--revision", "1").exit()).isZero();
    for (String store : new String[] {last, some, small}) {
      assertThat(Shell.onStore(store, "show", "c").out()).contains("n: " + ROUNDS);
      assertThat(Shell.onStore(store, "show", "c", "--revision", "1").err())
          .contains("case c: revision 1 is not kept; choose one from ");
      assertThat(Shell.onStore(store, "verify").exit()).isZero();
    }
  }

  @Test
  void without_the_journal_a_case_cannot_become_a_scenario() {
    String kept = run("kept", "--journal", "inputs");
    String none = run("none", "--journal", "none");

    assertThat(Shell.onStore(kept, "show", "c", "--as", "scenario").exit()).isZero();
    Shell refused = Shell.onStore(none, "show", "c", "--as", "scenario");
    assertThat(refused.exit()).isEqualTo(Exit.INVALID);
    assertThat(refused.err().lines()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--history=some | --history must be all, last or a positive number of revisions, got",
        "--history=0 | --history must be all, last or a positive number of revisions, got '0'",
        "--history=99999999999999999999 | --history must be all, last or a positive number",
        "--history-bytes=0 | --history-bytes must be positive, got 0",
        "--journal=some | --journal must be inputs or none, got 'some'",
        "--history=last --history-bytes=9 | --history-bytes cannot be used with --history last",
      })
  void a_wrong_value_is_refused_before_the_store_is_created(String options, String sentence) {
    String store = folder.resolve("none").toString();
    String[] words = (document + " " + options).split(" ", -1);

    Shell shell = Shell.onStore(store, "run", words);

    assertThat(shell.exit()).isEqualTo(Exit.INVALID);
    assertThat(shell.err()).startsWith("damask: " + sentence).hasLineCount(1);
    assertThat(folder.resolve("none")).doesNotExist();
  }

  @Test
  void the_options_require_a_store() {
    assertThat(damask("run", document, "--history", "last").err())
        .isEqualTo("damask: --history requires --store; a case in memory ends with the command\n");
    assertThat(damask("run", document, "--journal", "none").err())
        .startsWith("damask: --journal requires --store");
  }
}
