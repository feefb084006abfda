package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands that look at a document without running it: check, compile, draw, schema.
final class DocumentCommandsTest {
  private static final String ORDER = "../examples/documents/order.yaml";

  @TempDir Path folder;

  private String file(String text) throws IOException {
    return Files.writeString(folder.resolve("a.yaml"), text).toString();
  }

  @Test
  void compile_prints_the_listing_and_the_hash() throws IOException {
    String document = file("{workflow: a, do: [{task: A}, {task: B}]}");

    Shell optimised = damask("compile", document);
    Shell raw = damask("compile", document, "--raw");

    assertThat(optimised.exit()).isZero();
    assertThat(optimised.out())
        .startsWith("workflow a implicit\n")
        .contains("EFFECT_YIELD A")
        .containsPattern("hash [0-9a-f]{32}\n$");
    assertThat(raw.out()).contains("SEQ_NEXT");
    assertThat(raw.out().lines().toList().getLast())
        .isEqualTo(optimised.out().lines().toList().getLast());
  }

  @Test
  void a_mistake_the_check_finds_is_named_with_its_line() throws IOException {
    String document = file("workflow: a\ndo:\n  - task: A\n  - kill: regoin\n");

    for (String command : List.of("compile", "run", "draw")) {
      Shell shell = damask(command, document);

      assertThat(shell.exit()).isEqualTo(Exit.INVALID);
      assertThat(shell.err())
          .isEqualTo(
              "damask: "
                  + document
                  + ":4:5: do[1]: kill: there is no scope 'regoin'; none is declared\n");
    }
  }

  @Test
  void check_never_calls_a_workflow_sound_that_it_only_looked_at() {
    Shell shell = damask("check", ORDER, "--json");

    assertThat(shell.exit()).isEqualTo(Exit.UNKNOWN);
    Map<?, ?> verdict = shell.json().getFirst();
    assertThat(List.copyOf(verdict.keySet()).toString())
        .isEqualTo("[file, verdict, why, violations, states, millis]");
    assertThat(verdict.get("file")).isEqualTo(ORDER);
    assertThat(verdict.get("verdict")).isEqualTo("unknown");
    assertThat((String) verdict.get("why")).startsWith("only the structure was checked");
    assertThat(verdict.get("violations")).isEqualTo(List.of());
    assertThat(verdict.get("states")).isEqualTo(0L);
  }

  @Test
  void check_tells_mistakes_from_warnings() throws IOException {
    String document = file("workflow: a\ndo:\n  - take: x\n  - call: F\n");

    Shell shell = damask("check", document, ORDER);
    Shell json = damask("check", document, "--json");

    assertThat(shell.exit()).isEqualTo(Exit.INVALID);
    assertThat(shell.err())
        .contains("error: " + document + ":4:5: do[1]: call: there is no definition 'F'")
        .contains("warning: " + document + ":3:5: do[0]: nobody ever puts a token on place 'x'");
    assertThat(shell.out()).startsWith(document + ": invalid\n").contains(ORDER + ": unknown: ");
    assertThat((List<?>) json.json().getFirst().get("violations")).hasSize(2);
  }

  @Test
  void check_lists_everything_that_is_wrong_with_a_document() throws IOException {
    String document = file("workflow: a\nmoed: implicit\ndo:\n  - tsk: A\n");

    Shell shell = damask("check", document);

    assertThat(shell.exit()).isEqualTo(Exit.INVALID);
    assertThat(shell.err().lines()).hasSize(2).allMatch(line -> line.startsWith("error: "));
    assertThat(shell.err()).contains("mode").contains("task");
  }

  @Test
  void draw_writes_a_picture() throws IOException {
    Path picture = folder.resolve("order.svg");

    Shell printed = damask("draw", ORDER);
    Shell written = damask("draw", ORDER, "-o", picture.toString());
    Shell refused = damask("draw", ORDER, "-o", folder.toString());

    assertThat(printed.exit()).isZero();
    assertThat(printed.out()).contains("<svg").contains("charge").contains("</svg>");
    assertThat(written.out()).isEmpty();
    assertThat(picture).hasContent(printed.out());
    assertThat(refused.exit()).isEqualTo(Exit.INVALID);
    assertThat(refused.err())
        .isEqualTo("damask: " + folder + ": the picture cannot be written: it is a directory\n");
  }

  @Test
  void schema_is_json() {
    Shell shell = damask("schema");

    assertThat(shell.exit()).isZero();
    assertThat(((Map<?, ?>) Shell.parse(shell.out())).get("title")).isEqualTo("Damask documents");
  }
}
