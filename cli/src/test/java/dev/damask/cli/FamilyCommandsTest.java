package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Child cases and schedules on the command line.
@Timeout(120)
final class FamilyCommandsTest {
  private static final String ORDER =
      """
      workflow: order
      do:
        - child: billing
          with: {amount: "n * 2"}
          result: invoice
      """;
  private static final String BILLING =
      """
      workflow: billing
      do:
        - task: wait
          effect: {type: sleep, with: {for: PT0.05S}}
        - set: {number: "'i-' + string(amount)"}
      """;

  @TempDir Path folder;

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void a_child_runs_with_its_parent_in_memory() throws IOException {
    Shell shell =
        damask(
            "run",
            file("o.yaml", ORDER),
            "--child",
            file("b.yaml", BILLING),
            "--context",
            "{\"n\": 4}");

    assertThat(shell.exit()).as(shell.err()).isEqualTo(Exit.OK);
    assertThat(shell.out()).contains("invoice: {\"amount\": 8, \"number\": \"i-8\"}");
  }

  @Test
  void a_child_whose_document_is_missing_is_refused_before_the_start() throws IOException {
    Shell shell = damask("run", file("o.yaml", ORDER), "--context", "{\"n\": 4}");

    assertThat(shell.exit()).isEqualTo(Exit.INVALID);
    assertThat(shell.err())
        .contains("task billing starts a child case of workflow billing, which is not known; add")
        .contains("--child DOC");
  }

  @Test
  void an_event_answers_a_child() throws IOException {
    String events = file("e.yaml", "- done: billing\n  set: {number: 7}\n");

    Shell shell =
        damask("run", file("o.yaml", ORDER), "--events", events, "--context", "{\"n\": 4}");

    assertThat(shell.exit()).as(shell.err()).isEqualTo(Exit.OK);
    assertThat(shell.out()).contains("invoice: {\"number\": 7}");
  }

  @Test
  void show_names_parent_and_children() throws IOException {
    String store = folder.resolve("store").toString();
    Shell run =
        damask(
            "run",
            file("o.yaml", ORDER),
            "--child",
            file("b.yaml", BILLING),
            "--context",
            "{\"n\": 4}",
            "--store",
            store,
            "--id",
            "o-1");
    assertThat(run.exit()).as(run.err()).isEqualTo(Exit.OK);

    Map<?, ?> parent = damask("show", store, "o-1", "--json").json().getFirst();
    Map<?, ?> child =
        (Map<?, ?>) ((List<?>) Objects.requireNonNull(parent.get("children"))).getFirst();
    assertThat(child.get("workflow")).isEqualTo("billing");
    assertThat(child.get("status")).isEqualTo("completed");
    String id = String.valueOf(child.get("case"));
    assertThat(damask("show", store, "o-1").out()).contains("children:\n  " + id + "  completed");
    assertThat(damask("show", store, id).out()).contains("child of case o-1, task ");
    assertThat(damask("show", store, id, "--json").json().getFirst().get("parent"))
        .isEqualTo("o-1");
  }

  @Test
  void a_schedule_of_a_document_is_put_listed_paused_triggered_and_removed() throws IOException {
    String store = folder.resolve("store").toString();
    String document =
        file(
            "n.yaml",
            """
            workflow: nightly
            schedule: {cron: "0 2 1 1 *", zone: Europe/Berlin, overlap: queue, with: {n: 3}}
            do: {set: {m: n + 1}}
            """);
    Shell run =
        damask("run", document, "--context", "{\"n\": 1}", "--store", store, "--id", "first");
    assertThat(run.exit()).as(run.err()).isEqualTo(Exit.OK);

    assertThat(damask("schedules", store).out())
        .startsWith(
            "nightly: workflow nightly, cron '0 2 1 1 *' in Europe/Berlin, overlap queue,"
                + " catch-up last, next ");
    assertThat(damask("schedules", store, "pause", "nightly").out()).contains(", paused");
    Shell triggered = damask("schedules", store, "trigger", "nightly");
    assertThat(triggered.out()).as(triggered.err()).isEqualTo("started case nightly:t1\n");
    assertThat(damask("show", store, "nightly:t1").out()).contains("m: 4");
    assertThat(damask("schedules", store, "resume", "nightly").out()).contains(", next ");
    assertThat(damask("schedules", store, "remove", "nightly").exit()).isEqualTo(Exit.OK);
    assertThat(damask("schedules", store, "--json").out()).isEqualTo("{\"schedules\": []}\n");

    Shell unknown = damask("schedules", store, "pause", "nightly");
    assertThat(unknown.exit()).isEqualTo(Exit.INVALID);
    assertThat(unknown.err()).contains("there is no schedule nightly");
    assertThat(damask("schedules", store, "stop", "x").err())
        .contains("expected pause, resume, trigger or remove, got 'stop'");
  }
}
