package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands that look at a document without running it: compile, draw, schema.
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
        .isEqualTo("damask: " + folder + ": the diagram cannot be written: it is a directory\n");
  }

  @Test
  void a_picture_shows_what_the_document_declares() throws IOException {
    String document =
        file(
            """
            workflow: nightly
            input: {type: object, properties: {region: {type: string}}}
            output: {type: object, properties: {sum: {type: integer}}}
            attributes: {where: region}
            schedule: {cron: '0 2 * * *', zone: Europe/Berlin, with: {region: north}}
            do:
              - child: booking
                id: region
                with: {fee: "3"}
                result: booked
                detached: true
              - set: {sum: "1"}
            """);

    String svg = damask("draw", document).out();

    assertThat(svg)
        .contains("input: region", "output: sum", "attributes: where = region")
        .contains("schedule: cron 0 2 * * * in Europe/Berlin")
        .contains("child case · detached", "id region", "with fee: 3", "result booked");
  }

  @Test
  void a_schedule_whose_cases_are_refused_is_an_error_of_check() throws IOException {
    String document =
        file(
            """
            workflow: a
            input: {required: [region]}
            schedule: {every: PT1H}
            do: {task: A}
            """);

    Shell checked = damask("check", document);

    assertThat(checked.exit()).isEqualTo(Exit.INVALID);
    assertThat(checked.err())
        .contains(
            document + ":3:11: schedule: a case of the schedule does not fit 'input': ",
            "'region'",
            "add the values to 'with' of the schedule");
  }

  @Test
  void schema_is_json() {
    Shell shell = damask("schema");

    assertThat(shell.exit()).isZero();
    assertThat(((Map<?, ?>) Shell.parse(shell.out())).get("title")).isEqualTo("Damask documents");
  }
}
