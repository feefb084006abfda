package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The past of a stored case, as `damask show` prints it.
@Timeout(120)
final class PastCommandsTest {
  private static final String ORDER = "../examples/documents/order.yaml";

  @TempDir Path folder;
  private String store = "";

  @BeforeEach
  void name() {
    store = folder.resolve("store").toString();
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private Shell onStore(String command, String... words) {
    return Shell.onStore(store, command, words);
  }

  @Test
  void an_old_revision_is_shown_as_it_was_and_one_that_is_not_kept_is_named() {
    onStore("run", ORDER, "--id", "o-1");
    onStore("complete", "o-1", "charge", "--data", "{\"payment\": \"p-17\"}");
    onStore("complete", "o-1", "reserve", "--data", "{\"shelf\": \"B4\"}");

    Shell now = onStore("show", "o-1");
    Shell first = onStore("show", "o-1", "--revision", "1");
    Shell second = onStore("show", "o-1", "--revision", "2", "--json");
    Shell gone = onStore("show", "o-1", "--revision", "77");

    assertThat(now.out()).contains("(revision 3)", "  revisions from 1 on are kept");
    assertThat(first.out())
        .startsWith("o-1: waiting (revision 1)")
        .contains("charge", "reserve", "amount: 120")
        .doesNotContain("payment", "receipts");
    assertThat(second.json().getFirst().get("context"))
        .isEqualTo(Map.of("amount", 120L, "payment", "p-17"));
    assertThat(gone.exit()).isEqualTo(Exit.INVALID);
    assertThat(gone.err()).contains("case o-1: revision 77 is not kept; choose one from 1 to 3");
  }

  @Test
  void a_case_becomes_a_regression_test_with_one_command() throws IOException {
    onStore("run", ORDER, "--id", "o-1");
    onStore("complete", "o-1", "charge", "--data", "{\"payment\": \"p-17\"}");
    onStore("fail", "o-1", "reserve", "--reason", "no room");

    Shell positions = onStore("show", "o-1", "--as", "history");
    Shell scenario = onStore("show", "o-1", "--as", "scenario", "--redact", "payment");
    Shell wrong = onStore("show", "o-1", "--redact", "payment");

    assertThat(positions.out())
        .contains("     1  revision 1  ", "started", "result charge", "failure reserve");
    assertThat(scenario.err()).isEmpty();
    assertThat(scenario.out()).contains("\"redacted\"").doesNotContain("p-17");
    Shell tested = damask("test", file("bug.yaml", scenario.out()));
    assertThat(tested.exit()).as(tested.out() + tested.err()).isZero();
    assertThat(wrong.err()).contains("--redact requires --as scenario");
    Path recording = folder.resolve("o-1.case");
    assertThat(onStore("show", "o-1", "--as", "recording").exit()).isEqualTo(Exit.INVALID);
    assertThat(onStore("show", "o-1", "--as", "recording", "-o", recording.toString()).exit())
        .isZero();
    assertThat(recording).isNotEmptyFile();
  }
}
