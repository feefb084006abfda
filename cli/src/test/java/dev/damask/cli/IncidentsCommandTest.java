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

/// The command for tasks that wait for an operator.
@Timeout(120)
final class IncidentsCommandTest {
  @TempDir Path folder;
  private String store = "";

  @BeforeEach
  void park() throws IOException {
    store = folder.resolve("store").toString();
    String document =
        Files.writeString(
                folder.resolve("w.yaml"),
                "{workflow: w, do: [{task: a, retry: {max: 2, delay: 0}, onExhausted: park}]}")
            .toString();
    for (String id : new String[] {"one", "two", "three"}) {
      damask("run", document, "--id", id, "--store", store);
      damask("fail", id, "a", "--reason", "down", "--store", store);
      damask("fail", id, "a", "--reason", "down", "--store", store);
    }
  }

  private Shell incidents(String... words) {
    String[] all = new String[words.length + 3];
    all[0] = "incidents";
    System.arraycopy(words, 0, all, 1, words.length);
    all[words.length + 1] = "--store";
    all[words.length + 2] = store;
    return damask(all);
  }

  @Test
  void incidents_are_listed_retried_skipped_and_failed() {
    assertThat(damask("show", "one", "--store", store).out()).contains("a");
    assertThat(incidents().out().lines()).hasSize(3).allMatch(line -> line.endsWith("2  down"));
    var two = incidents("list", "two", "--json").json().getFirst();
    assertThat(two.get("task")).isEqualTo("a#1");
    assertThat(two.get("reason")).isEqualTo("down");

    Shell skipped = incidents("skip", "one", "a", "--data", "{\"paid\": true}");
    assertThat(skipped.out()).isEqualTo("one a#1: accepted\n");
    assertThat(damask("show", "one", "--store", store).out()).contains("completed", "paid: true");
    assertThat(incidents("fail", "two", "--as", "hopeless").exit()).isZero();
    assertThat(damask("show", "two", "--store", store).out()).contains("failed", "hopeless");
    assertThat(incidents("retry", "--workflow", "w", "--reason", "down").out())
        .isEqualTo("three a#1: accepted\n");
    assertThat(damask("complete", "three", "a", "--store", store).out())
        .isEqualTo("three: accepted; completed\n");
    assertThat(incidents().err()).isEqualTo("damask: no incidents found\n");
    assertThat(damask("verify", store).exit()).isZero();
  }

  @Test
  void a_change_needs_a_case_or_a_filter_and_something_that_matches() {
    assertThat(incidents("retry").err())
        .isEqualTo("damask: retry requires a case, a filter such as --workflow, or --all\n");
    assertThat(incidents("forget").err())
        .isEqualTo("damask: expected list, retry, skip, fail, got 'forget'\n");
    Shell none = incidents("fail", "--workflow", "other");
    assertThat(none.exit()).isEqualTo(Exit.INVALID);
    assertThat(none.err()).isEqualTo("damask: no incident matches; see 'damask incidents'\n");
    assertThat(incidents("skip", "--all").out().lines()).hasSize(3);
  }
}
