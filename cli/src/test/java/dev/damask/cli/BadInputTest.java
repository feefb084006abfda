package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whatever a document holds, a command answers in one line and with exit code 2.
final class BadInputTest {
  @TempDir Path folder;

  @Test
  void an_unknown_key_is_named_with_the_nearest_one() throws IOException {
    refused("a.yaml", "workflow: a\nmoed: implicit\ndo: {task: A}\n", ":2:", "'mode'");
  }

  @Test
  void a_wrong_type_is_named() throws IOException {
    refused(
        "a.yaml",
        "workflow: a\ndo:\n  - task: [1]\n",
        ":3:11: do[0].task: expected a name, found a list");
  }

  @Test
  void a_key_that_is_there_twice_is_named() throws IOException {
    refused(
        "a.yaml",
        "workflow: a\nworkflow: b\ndo: {task: A}\n",
        ":2:1: duplicate key 'workflow', first at line 1");
  }

  @Test
  void a_missing_file_and_a_directory_are_named() {
    Path none = folder.resolve("none.yaml");
    for (String command : List.of("run", "compile", "draw", "test")) {
      assertThat(damask(command, none.toString()))
          .isEqualTo(
              new Shell(
                  Exit.INVALID,
                  command.equals("test") ? "1 scenario: 0 passed, 0 failed, 1 invalid\n" : "",
                  "damask: " + none + ": the file does not exist\n"));
    }
    assertThat(damask("run", folder.toString()).err())
        .isEqualTo("damask: " + folder + ": the file is a directory\n");
    assertThat(damask("replay", none.toString()).err())
        .isEqualTo("damask: " + none + ": the file does not exist\n");
  }

  @Test
  void a_binary_file_and_broken_utf8_are_refused() throws IOException {
    byte[] binary = new byte[1_000];
    for (int i = 0; i < binary.length; i++) {
      binary[i] = (byte) (i * 7 + 1);
    }
    refused("a.yaml", binary, ":");
    byte[] broken = "workflow: a\ndescription: ?".getBytes(StandardCharsets.US_ASCII);
    broken[broken.length - 1] = (byte) 0xFF;
    refused("b.yaml", broken, ":2:1: byte 25 is not valid UTF-8");
  }

  @Test
  void a_bomb_of_aliases_does_not_go_off() throws IOException {
    StringBuilder text = new StringBuilder("a0: &a0 [x, x]\n");
    for (int i = 1; i < 50; i++) {
      text.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
    }
    refused(
        "a.yaml",
        text.toString(),
        ":1:5: a0: anchors and aliases are not allowed; write the value out");
  }

  @Test
  void a_document_of_50_megabytes_is_refused_by_its_size() throws IOException {
    refused(
        "a.yaml",
        new byte[50_000_000],
        ": a document must have at most 16777216 bytes, got 50000000");
  }

  @Test
  void nesting_of_100_000_is_refused() throws IOException {
    String brackets = "[".repeat(100_000);
    refused(
        "a.json",
        "{\"workflow\": \"a\", \"do\": " + brackets,
        "a document must nest at most 256 levels deep");
    refused(
        "a.yaml", "workflow: a\ndo: " + brackets, "a document must nest at most 256 levels deep");
    assertThat(damask("run", "../examples/documents/order.yaml", "--context", brackets).err())
        .hasSizeLessThan(2_000)
        .contains("a document must nest at most 256 levels deep");
  }

  @Test
  void a_number_with_a_million_digits_is_refused() throws IOException {
    String digits = "1".repeat(1_000_000);
    String most = "a number must have at most 1000 digits";
    refused("a.json", "{\"workflow\": \"a\", \"context\": {\"n\": " + digits + "}}", most);
    refused("a.yaml", "workflow: a\ncontext: {n: " + digits + "}\n", most);
  }

  @Test
  void an_expression_that_does_not_parse_is_named_with_its_place() throws IOException {
    refused(
        "a.yaml",
        "workflow: a\ndo:\n  - set: {a: 1 +}\n",
        ":3:14: do[0].set.a: expression '1 +' at 1:4: ");
  }

  private void refused(String name, String text, String... parts) throws IOException {
    refused(name, text.getBytes(StandardCharsets.UTF_8), parts);
  }

  private void refused(String name, byte[] bytes, String... parts) throws IOException {
    Path file = Files.write(folder.resolve(name), bytes);
    for (String command : List.of("run", "compile", "draw")) {
      Shell shell = damask(command, file.toString());

      assertThat(shell.exit()).isEqualTo(Exit.INVALID);
      assertThat(shell.out()).isEmpty();
      assertThat(shell.err().lines()).hasSize(1);
      assertThat(shell.err()).startsWith("damask: " + file).contains(parts);
    }
  }
}
