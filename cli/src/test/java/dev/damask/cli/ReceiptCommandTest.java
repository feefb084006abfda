package dev.damask.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Receipts and reasons on the command line.
final class ReceiptCommandTest {
  @TempDir private Path folder;
  private String store = "";
  private String document = "";

  @BeforeEach
  void write() throws IOException {
    store = folder.resolve("store").toString();
    document =
        Files.writeString(
                folder.resolve("pay.yaml"),
                """
                workflow: pay
                do:
                  - {task: pay, key: order}
                  - {take: go}
                places: {go: {external: true}}
                """)
            .toString();
    Shell run =
        Shell.damask(
            "run",
            document,
            "--store",
            store,
            "--id",
            "p-1",
            "--context",
            "{\"order\": \"o-1\", \"amount\": 5}");
    assertThat(run.exit()).as(run.err()).isEqualTo(Exit.WAITING);
    Shell.damask("complete", store, "p-1", "pay", "--data", "{\"paid\": true}");
  }

  @Test
  void a_receipt_is_found_by_its_number_and_by_its_key() {
    Shell byNumber = Shell.damask("receipt", store, "p-1#1");
    Shell byKey = Shell.damask("receipt", store, "--type", "pay", "--key", "o-1", "--json");
    Shell all = Shell.damask("receipt", store, "p-1");

    assertThat(byNumber.out()).startsWith("p-1").contains("effect pay, attempt 1", "\"paid\":");
    assertThat(byNumber.exit()).isZero();
    assertThat(byKey.out()).contains("\"case\": \"p-1\"", "\"number\": 1", "\"spec\": \"");
    assertThat(all.out()).isEqualTo(byNumber.out());
  }

  @Test
  void a_receipt_that_does_not_exist_is_told_from_a_wrong_call() {
    Shell number = Shell.damask("receipt", store, "p-1#7");
    Shell key = Shell.damask("receipt", store, "--type", "pay", "--key", "o-2");
    Shell half = Shell.damask("receipt", store, "--key", "o-2");
    Shell none = Shell.damask("receipt", store);

    assertThat(number.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(number.err()).contains("none of its 1 receipts is p-1#7");
    assertThat(key.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(half.exit()).isEqualTo(2);
    assertThat(half.err()).contains("--key requires --type");
    assertThat(none.exit()).isEqualTo(2);
  }

  @Test
  void the_reason_of_a_cancellation_is_printed_and_kept() {
    Shell cancelled = Shell.damask("cancel", store, "p-1", "--reason", "the customer called");
    Shell shown = Shell.damask("show", store, "p-1");
    Shell again = Shell.damask("run", document, "--store", store, "--id", "p-1", "--json");

    assertThat(cancelled.out()).isEqualTo("p-1: accepted; cancelled (the customer called)\n");
    assertThat(shown.out()).contains("cancelled case, reason the customer called");
    assertThat(again.out()).contains("\"reason\": \"the customer called\"");
  }
}
