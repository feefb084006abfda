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

final class TestCommandTest {
  private static final String GOOD =
      """
      scenario: good
      title: one task
      workflow: {workflow: a, do: [{task: A}]}
      steps:
        - {start: true, see: ["A#1+"]}
        - {done: A, see: ["A#1-"]}
      end: {status: completed}
      """;

  @TempDir Path folder;

  @Test
  void the_examples_pass() {
    Shell shell = damask("test", "../examples/documents");

    assertThat(shell.exit()).isZero();
    assertThat(shell.out())
        .isEqualTo(
            """
            pass  order-approved  an approved order is shipped
            pass  order-rejected  a rejected order is undone, the last step first
            pass  seed-cancel  cancelling the scope withdraws both tasks and ends the case
            pass  seed-email  the email is sent
            pass  seed-loop  the loop ends after three rounds
            pass  seed-order  an order is shipped when both checks have completed
            pass  seed-parallel  the join waits for both tasks
            pass  seed-payment  the payment is charged
            pass  seed-sequence  b starts when a has completed
            9 scenarios: 9 passed, 0 failed
            """);
  }

  @Test
  void plans_of_graphs_pass_or_say_what_was_not_so() throws IOException {
    Path example = Path.of("..", "examples", "order-approval");
    String plan = Files.readString(example.resolve("too-large.scenario.yaml"));
    String graph = example.toAbsolutePath().normalize().resolve("graph.json").toString();
    Path wrong = folder.resolve("wrong.yaml");
    Files.writeString(
        wrong, plan.replace("graph.json", graph).replace("[Decide, Ship]", "[Request]"));
    Path broken = folder.resolve("broken.yaml");
    Files.writeString(broken, plan.replace("graph.json", graph).replace("Request", "Requst"));

    Shell good = damask("test", example.toString());
    Shell bad = damask("test", wrong.toString());
    Shell unread = damask("test", broken.toString(), "--json");

    assertThat(good.exit()).as(good.out() + good.err()).isZero();
    assertThat(good.out())
        .contains("pass  order-approval-yes  an order that is approved in time is shipped\n")
        .endsWith("3 scenarios: 3 passed, 0 failed\n");
    assertThat(bad.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(bad.out())
        .contains("      at the end: expected Request never, actual Request 1 times\n")
        .contains("      main: 1:1 Request invalid\n");
    assertThat(unread.exit()).isEqualTo(Exit.INVALID);
    assertThat(unread.err())
        .contains("broken.yaml: PLAN_INVALID at runtime.stepId: there is no 'Requst', did you");
    assertThat(unread.out()).contains("\"pass\": false");
  }

  @Test
  void a_failure_shows_step_expected_actual_and_the_trace() throws IOException {
    Path file = folder.resolve("bad.yaml");
    Files.writeString(file, GOOD.replace("A#1-", "B#1-").replace("completed", "failed"));

    Shell shell = damask("test", file.toString());

    assertThat(shell.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(shell.out())
        .startsWith("FAIL  good  one task\n")
        .contains("      step 2: expected [B#1-], actual [A#1-]\n")
        .contains("      at the end: expected status failed, actual status completed\n")
        .contains("TASK-EFFECT")
        .endsWith("1 scenario: 0 passed, 1 failed\n");
  }

  @Test
  void json_has_one_object_a_scenario() throws IOException {
    Files.writeString(folder.resolve("a.yaml"), GOOD);
    Files.createDirectory(folder.resolve("below"));
    Files.writeString(folder.resolve("below/b.yml"), GOOD.replace("A#1-", "B#1-"));
    Files.writeString(folder.resolve("workflow.yaml"), "{workflow: a, do: []}");
    Files.writeString(folder.resolve("strange.json"), "{{ template }}");

    Shell shell = damask("test", folder.toString(), "--json");

    assertThat(shell.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(shell.err()).isEmpty();
    assertThat(shell.json())
        .isEqualTo(
            List.of(
                Map.of("scenario", "good", "pass", true, "failures", List.of()),
                Map.of(
                    "scenario",
                    "good",
                    "pass",
                    false,
                    "failures",
                    List.of(Map.of("step", 2L, "expected", "[B#1-]", "actual", "[A#1-]")))));
  }

  @Test
  void an_invalid_scenario_does_not_hide_the_others() throws IOException {
    Files.writeString(folder.resolve("a.yaml"), GOOD);
    Files.writeString(folder.resolve("b.yaml"), GOOD.replace("steps:", "step:"));

    Shell shell = damask("test", folder.toString());

    assertThat(shell.exit()).isEqualTo(Exit.INVALID);
    assertThat(shell.err().lines()).hasSize(1);
    assertThat(shell.err()).contains("b.yaml:").contains("step").contains("steps");
    assertThat(shell.out()).contains("pass  good").contains("1 passed, 0 failed, 1 invalid");
  }

  @Test
  void no_scenario_at_all_is_no_success() {
    Shell shell = damask("test", folder.toString());

    assertThat(shell.exit()).isEqualTo(Exit.INVALID);
    assertThat(shell.err())
        .isEqualTo(
            "damask: no scenario found in "
                + folder
                + "; a scenario is a document with the key 'scenario'\n");
  }
}
