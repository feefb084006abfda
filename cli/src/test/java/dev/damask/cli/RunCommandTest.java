package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import dev.damask.json.JsonWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RunCommandTest {
  private static final String EXAMPLES = "../examples/documents/";

  @TempDir Path folder;

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void the_example_order_completes_and_shows_its_context() {
    Shell shell =
        damask("run", EXAMPLES + "order.yaml", "--events", EXAMPLES + "order-events.yaml");

    assertThat(shell.err()).isEmpty();
    assertThat(shell.out())
        .isEqualTo(
            """
            order-1: completed (14 steps, 3 effects)
              amount: 120
              by: "eve"
              parcel: "DX-340"
              payment: "p-17"
              shelf: "B4"
            """);
    assertThat(shell.exit()).isZero();
  }

  @Test
  void json_holds_what_the_contract_says() {
    Shell shell =
        damask(
            "run",
            EXAMPLES + "order.yaml",
            "--json",
            "--context={\"amount\": 7}",
            "--events=" + EXAMPLES + "order-events.yaml");

    Map<String, Object> context =
        Map.of("amount", 7L, "by", "eve", "parcel", "DX-340", "payment", "p-17", "shelf", "B4");
    assertThat(shell.json())
        .containsExactly(
            JsonWriter.object(
                "case",
                "order-1",
                "status",
                "completed",
                "reason",
                null,
                "context",
                context,
                "steps",
                14L,
                "effects",
                3L));
    assertThat(shell.out()).startsWith("{\"case\": ");
  }

  @Test
  void a_rejected_order_is_undone_and_fails() throws IOException {
    String events =
        file(
            "events.yaml",
            """
            - {done: charge}
            - {done: reserve}
            - {done: ship}
            - {signal: rejected}
            - {done: refund}
            - {done: release}
            """);

    Shell shell = damask("run", EXAMPLES + "order.yaml", "--events", events);

    assertThat(shell.exit()).isEqualTo(Exit.FAILED);
    assertThat(shell.out()).startsWith("order-1: failed (").contains("  reason rejected");
    assertThat(shell.out()).contains("4 effects");
  }

  @Test
  void a_case_is_not_started_when_every_way_leads_to_a_task_without_handler_and_event() {
    Shell shell = damask("run", EXAMPLES + "order.yaml");

    assertThat(shell.exit()).isEqualTo(Exit.INVALID);
    assertThat(shell.err())
        .isEqualTo(
            "damask: ../examples/documents/order.yaml: the tasks charge, reserve have no handler"
                + " and no event; add events such as 'done: charge' in a file with --events\n");
  }

  @Test
  void an_http_task_needs_a_host_that_may_be_called() throws IOException {
    String document =
        file(
            "a.yaml",
            "{workflow: a, do: {task: fetch, effect: {type: http, with: {url:"
                + " 'https://example.org/'}}}}");

    Shell shell = damask("run", document);

    assertThat(shell.exit()).isEqualTo(Exit.INVALID);
    assertThat(shell.err())
        .isEqualTo(
            "damask: "
                + document
                + ": task fetch uses http, and no host is allowed; add --allow HOST\n");
  }

  @Test
  void a_document_gets_only_the_secrets_that_are_named() throws IOException {
    String document =
        file(
            "a.yaml",
            """
            workflow: call
            do:
              task: ask
              effect:
                type: http
                with: {url: "http://127.0.0.1:9/", headers: {authorization: "${secret.PATH}"}}
            """);
    String[] run = {"run", document, "--allow", "127.0.0.1:9"};

    Shell unnamed = damask(run);
    Shell onStore = damask("run", document, "--allow", "127.0.0.1:9", "--store", folder + "/store");
    Shell named = damask("run", document, "--allow", "127.0.0.1:9", "--secret", "PATH");
    Shell other = damask("run", document, "--allow", "127.0.0.1:9", "--secret", "PATH=env:HOME");

    assertThat(unnamed.exit()).isEqualTo(Exit.INVALID);
    assertThat(unnamed.err()).contains("task ask uses the secret PATH, which is not provided");
    assertThat(onStore.exit()).isEqualTo(Exit.INVALID);
    assertThat(named.exit()).as(named.err()).isEqualTo(Exit.FAILED);
    assertThat(other.exit()).as(other.err()).isEqualTo(Exit.FAILED);
    assertThat(named.out()).doesNotContain(System.getenv("PATH"));
  }

  @Test
  void log_and_sleep_run_for_real() throws IOException {
    String document =
        file(
            "a.yaml",
            """
            workflow: nap
            context: {who: eve}
            do:
              - task: hello
                effect: {type: log, with: {message: "good night ${who}, ${secret.KEY}"}}
              - task: nap
                effect: {type: sleep, with: {for: PT0.05S}}
              - task: nap again
                effect: {type: sleep, with: {for: 0.05}}
            """);

    long begin = System.nanoTime();
    Shell shell = damask("run", document);

    assertThat(shell.exit()).isZero();
    assertThat(shell.err()).isEqualTo("nap: good night eve, ${secret.KEY}\n");
    assertThat(System.nanoTime() - begin).isGreaterThan(100_000_000);
  }

  @Test
  void a_sleep_that_makes_no_sense_is_refused_or_fails_the_task() throws IOException {
    String fixed =
        file("a.yaml", "{workflow: a, do: {task: t, effect: {type: sleep, with: {for: soon}}}}");
    String filled =
        file(
            "b.yaml",
            "{workflow: b, context: {time: soon},"
                + " do: {task: t, effect: {type: sleep, with: {for: '${time}'}}}}");

    Shell refused = damask("run", fixed);
    Shell failed = damask("run", filled);

    String problem =
        "sleep: 'for' is a duration such as PT10S or a number of seconds, found \"soon\"";
    assertThat(refused.exit()).isEqualTo(Exit.INVALID);
    assertThat(refused.err()).contains(problem);
    assertThat(failed.exit()).isEqualTo(Exit.FAILED);
    assertThat(failed.out()).contains(problem);
  }

  @Test
  void effects_without_a_handler_are_refused_before_anything_runs() throws IOException {
    String typo =
        "{workflow: a, do: [{task: l, effect: {type: log, with: {message: started}}},"
            + " {task: t, effect: {type: htpp, with: {url: x}}}]}";
    String document = file("a.yaml", typo);
    String events = file("e.yaml", "[{done: t}]");

    Shell memory = damask("run", document);
    Shell stored = damask("run", document, "--store", folder.resolve("s").toString());
    Shell answered = damask("run", document, "--events", events);

    assertThat(memory.exit()).isEqualTo(Exit.INVALID);
    assertThat(memory.err())
        .contains("do[1]: unknown effect type 'htpp'; did you mean 'http'?")
        .doesNotContain("started");
    assertThat(stored.exit()).isEqualTo(Exit.INVALID);
    assertThat(answered.exit()).isZero();
  }

  @Test
  void a_case_that_only_the_outside_can_move_on_exits_with_5() throws IOException {
    String document =
        file("a.yaml", "{workflow: a, places: {x: {external: true}}, do: [{take: x}]}");

    Shell shell = damask("run", document, "--json");

    assertThat(shell.exit()).isEqualTo(Exit.WAITING);
    assertThat(shell.json().getFirst().get("status")).isEqualTo("waiting");
    assertThat(shell.json().getFirst().get("reason")).isEqualTo("waits for signal x");
  }

  @Test
  void a_deadlock_is_reported_line_by_line() throws IOException {
    String document = file("a.yaml", "{workflow: a, do: [{take: x}]}");

    Shell shell = damask("run", document);

    assertThat(shell.exit()).isEqualTo(Exit.WAITING);
    assertThat(shell.out())
        .startsWith("a-1: deadlocked")
        .contains("waits for x, which can never be marked");
  }

  @Test
  void a_cancelled_case_exits_with_4() throws IOException {
    String document =
        file("a.yaml", "{workflow: a, places: {x: {external: true}}, do: [{take: x}]}");
    String events = file("e.yaml", "[{start: true}, {cancel: case}]");

    Shell shell = damask("run", document, "--events", events);

    assertThat(shell.exit()).isEqualTo(Exit.CANCELLED);
    assertThat(shell.out()).startsWith("a-1: cancelled");
  }

  @Test
  void the_context_is_checked_against_the_input_schema() throws IOException {
    String document =
        file(
            "a.yaml", "{workflow: a, input: {type: object, required: [n]}, do: {set: {m: n + 1}}}");
    String context = file("c.yaml", "n: 2");

    Shell without = damask("run", document);
    Shell with = damask("run", document, "--context", "@" + context);

    assertThat(without.exit()).isEqualTo(Exit.INVALID);
    assertThat(without.err().lines()).hasSize(1);
    assertThat(without.err())
        .startsWith("damask: " + document + ": the context does not fit 'input': ")
        .contains("'n'");
    assertThat(with.out()).isEqualTo("a-1: completed (2 steps, 0 effects)\n  m: 3\n  n: 2\n");
  }

  @Test
  void a_failing_expression_is_named_with_its_line() throws IOException {
    String document = file("a.yaml", "workflow: a\ndo:\n  - {set: {m: n + 1}}\n");

    Shell shell = damask("run", document);

    assertThat(shell.exit()).isEqualTo(Exit.FAILED);
    assertThat(shell.out()).contains("reason expression").contains("(line 3)").contains("n + 1");
  }

  @Test
  void traces_go_to_standard_error() throws IOException {
    String document = file("a.yaml", "{workflow: a, do: [{task: b, set: {m: 1}}]}");

    Shell full = damask("run", document, "--trace", "full");
    Shell min = damask("run", document, "--trace", "min");

    assertThat(full.err()).contains("TASK-EXEC");
    assertThat(min.err()).doesNotContain("TASK-EXEC").contains("ended");
    assertThat(full.out()).isEqualTo(min.out());
  }

  @Test
  void wrong_options_are_refused_in_one_line() throws IOException {
    String document = file("a.yaml", "{workflow: a, do: {set: {m: 1}}}");
    List<List<String>> wrong =
        List.of(
            List.of("--scheduler", "chance"),
            List.of("--scheduler", "random:many"),
            List.of("--scheduler", "replay:" + folder.resolve("none")),
            List.of("--trace", "some"),
            List.of("--context", "[1]"),
            List.of("--context", "{"),
            List.of("--context", "@" + folder.resolve("none")),
            List.of("--events", folder.toString()),
            List.of("--trace-out", folder.resolve("no/such/folder").toString()),
            List.of("--allow", "https://x/"));

    for (List<String> options : wrong) {
      Shell shell = damask("run", document, options.getFirst(), options.getLast());

      assertThat(shell.exit()).as(options + shell.err()).isEqualTo(Exit.INVALID);
      assertThat(shell.err().lines()).as(shell.err()).hasSize(1);
    }
  }

  @Test
  void a_case_that_takes_longer_than_it_may_fails() throws IOException {
    String document =
        file(
            "a.yaml",
            "{workflow: a, limits: {time: 0.05},"
                + " do: {task: t, effect: {type: sleep, with: {for: 60}}}}");

    Shell shell = damask("run", document);

    assertThat(shell.exit()).isEqualTo(Exit.FAILED);
    assertThat(shell.out()).contains("the case was to end within PT0.05S");
  }

  @Test
  void an_approval_is_decided_by_an_event_or_by_its_time() throws IOException {
    String document =
        file(
            "a.yaml",
            """
            workflow: a
            do:
              task: ask
              effect:
                type: approval
                with: {question: ship?, within: 0.1, onTimeout: default, default: {ok: false}}
            """);
    String events = file("e.yaml", "[{done: ask, set: {ok: true}}]");
    String patient = file("p.yaml", "{workflow: p, do: {task: ask, effect: {type: approval}}}");

    assertThat(damask("run", document).out()).contains("a-1: completed", "  ok: false");
    assertThat(damask("run", document, "--events", events).out()).contains("  ok: true");
    assertThat(damask("run", patient).exit()).isEqualTo(Exit.WAITING);
  }

  @Test
  void a_message_cannot_forge_lines_or_move_the_cursor() throws IOException {
    String document =
        file(
            "a.yaml",
            """
            workflow: a
            do:
              task: t
              effect: {type: log, with: {message: "one\\ntwo\\e[2Jthree"}}
            """);

    assertThat(damask("run", document).err()).isEqualTo("a: one\\ntwo\\u{1b}[2Jthree\n");
  }
}
