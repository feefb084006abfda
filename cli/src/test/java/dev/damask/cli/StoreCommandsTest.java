package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.StoreFolder;
import dev.damask.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The commands that work on a store, each as a user types it.
@Timeout(120)
final class StoreCommandsTest {
  private static final String EXAMPLES = "../examples/documents/";
  private static final String ORDER = EXAMPLES + "order.yaml";

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
  void an_order_goes_on_from_command_to_command() {
    Shell started = onStore("run", ORDER, "--id", "o-1");
    assertThat(started.exit()).as(started.err()).isEqualTo(Exit.WAITING);
    assertThat(started.out())
        .isEqualTo(
            """
            o-1: waiting (4 steps, 2 effects)
              waits for task charge, task reserve
              amount: 120
            """);

    Shell charged = onStore("complete", "o-1", "charge", "--data", "{\"payment\": \"p-17\"}");
    assertThat(charged.out()).isEqualTo("o-1: accepted; waiting for task reserve\n");
    assertThat(charged.exit()).isZero();
    onStore("complete", "o-1", "reserve", "--data", "{\"shelf\": \"B4\"}");

    Shell approved = onStore("signal", "o-1", "approved", "--data", "{\"by\": \"eve\"}");
    assertThat(approved.out()).isEqualTo("o-1: accepted; waiting for task ship\n");

    onStore("complete", "o-1", "ship");
    Shell ended = onStore("run", ORDER, "--id", "o-1");
    assertThat(ended.exit()).isZero();
    assertThat(ended.out())
        .startsWith("o-1: completed (")
        .contains("3 effects", "  by: \"eve\"", "  payment: \"p-17\"", "  shelf: \"B4\"");
    assertThat(onStore("signal", "o-1", "approved").exit()).isEqualTo(Exit.DIFFERENT);
  }

  @Test
  void every_command_keeps_the_trace_level_that_a_case_was_started_with() throws IOException {
    String document =
        file(
            "w.yaml",
            """
            workflow: w
            places: {go: {external: true}}
            do:
              - set: {a: 1}
              - task: A
              - set: {b: 2}
              - defer:
                  - {take: go, do: {set: {c: 3}}}
            """);
    Shell full = onStore("run", document, "--id", "full", "--trace", "full");
    onStore("run", document, "--id", "min");
    for (String id : List.of("full", "min")) {
      onStore("complete", id, "A");
      onStore("signal", id, "go");
    }

    assertThat(full.err()).contains("TASK-EXEC");
    assertThat(onStore("show", "full").out().split("TASK-EXEC", -1)).hasSizeGreaterThan(2);
    assertThat(onStore("show", "min").out())
        .contains("TASK-EFFECT", "EFFECT-RESULT", "SIGNAL", "END")
        .doesNotContain("TASK-EXEC");
  }

  @Test
  void a_run_plays_events_on_a_store_as_it_does_in_memory() {
    Shell shell = onStore("run", ORDER, "--events", EXAMPLES + "order-events.yaml", "--json");

    assertThat(shell.exit()).as(shell.err()).isZero();
    Map<?, ?> result = shell.json().getFirst();
    assertThat(result.get("case")).isEqualTo("order-1");
    assertThat(result.get("status")).isEqualTo("completed");
    assertThat(result.get("effects")).isEqualTo(3L);
    assertThat(result.get("context"))
        .isEqualTo(
            Map.of(
                "amount", 120L, "by", "eve", "parcel", "DX-340", "payment", "p-17", "shelf", "B4"));
  }

  @Test
  void without_an_id_the_open_case_goes_on_and_an_ended_one_is_followed_by_the_next() {
    assertThat(onStore("run", ORDER).err()).isEqualTo("damask: started case order-1\n");
    assertThat(onStore("run", ORDER).err()).isEqualTo("damask: resuming case order-1\n");
    onStore("cancel", "order-1");
    assertThat(onStore("run", ORDER).err()).isEqualTo("damask: started case order-2\n");
    onStore("run", ORDER, "--id", "another");

    Shell several = onStore("run", ORDER);

    assertThat(several.exit()).isEqualTo(Exit.INVALID);
    assertThat(several.err())
        .isEqualTo(
            "damask: several cases of workflow order are open (order-2, another); select one, or a"
                + " new id, with --id\n");
  }

  @Test
  void a_run_without_a_document_takes_up_everything_that_was_left() throws IOException {
    String nap =
        file(
            "nap.yaml",
            """
            workflow: nap
            places: {up: {external: true}}
            do:
              - take: up
              - {task: hello, effect: {type: log, with: {message: "good\\nmorning"}}}
            """);
    assertThat(onStore("run", nap, "--id", "a").exit()).isEqualTo(Exit.WAITING);
    assertThat(onStore("run", nap, "--id", "b").exit()).isEqualTo(Exit.WAITING);
    Shell signalled = onStore("signal", "a", "up");
    assertThat(signalled.out()).isEqualTo("a: accepted; waiting for task hello\n");
    assertThat(signalled.err()).isEmpty();

    Shell all = onStore("run");

    assertThat(all.err()).isEqualTo("a: good\\nmorning\n");
    assertThat(all.out()).contains("a: completed (").contains("b: waiting (");
    assertThat(all.exit()).isEqualTo(Exit.WAITING);
  }

  @Test
  void a_sleep_is_as_long_as_it_says_and_a_distant_timer_is_left_to_the_store() throws IOException {
    String nap =
        file("n.yaml", "{workflow: n, do: {task: t, effect: {type: sleep, with: {for: 0.3}}}}");
    String distant =
        file("d.yaml", "{workflow: d, do: {task: t, effect: {type: sleep, with: {for: P2D}}}}");

    long begin = System.nanoTime();
    assertThat(onStore("run", nap).exit()).isZero();
    assertThat(System.nanoTime() - begin).isGreaterThan(300_000_000);

    Shell left = onStore("run", distant);
    assertThat(left.exit()).isEqualTo(Exit.WAITING);
    assertThat(onStore("show", "d-1").out()).contains("  next timer 2");
  }

  @Test
  void an_approval_is_decided_by_complete_or_fail() throws IOException {
    String ask =
        file(
            "ask.yaml",
            """
            workflow: ask
            do:
              mi: m
              count: 2
              do:
                task: ask
                effect: {type: approval, with: {question: "ship ${index}?", within: P1D}}
            """);
    onStore("run", ask);

    Shell yes = onStore("complete", "ask-1", "ask[2]", "--data", "{\"ok\": true}", "--json");
    Shell no = onStore("fail", "ask-1", "ask[1]", "--reason", "no");

    assertThat(yes.json().getFirst().get("reply")).isEqualTo("accepted");
    assertThat(no.out()).isEqualTo("ask-1: accepted; failed\n");
    Shell shown = onStore("show", "ask-1", "--json");
    assertThat(shown.json().getFirst().get("status")).isEqualTo("failed");
    assertThat((List<?>) shown.json().getFirst().get("receipts")).hasSize(2);
  }

  @Test
  void an_approval_with_approvers_is_completed_only_in_their_name() throws IOException {
    String ask =
        file(
            "ask.yaml",
            """
            workflow: ask
            do:
              task: ask
              effect: {type: approval, with: {question: ship?, approvers: [eve]}}
            """);
    onStore("run", ask);

    Shell nobody = onStore("complete", "ask-1", "ask", "--data", "{\"approved\": true}");
    Shell failed = onStore("fail", "ask-1", "ask", "--reason", "no");
    Shell eve =
        onStore("complete", "ask-1", "ask", "--data", "{\"approved\": true, \"by\": \"eve\"}");

    assertThat(nobody.out()).startsWith("ask-1: rejected");
    assertThat(nobody.exit()).isEqualTo(1);
    assertThat(failed.exit()).isEqualTo(1);
    assertThat(eve.out()).isEqualTo("ask-1: accepted; completed\n");
  }

  @Test
  void cases_are_listed_by_filter_and_page() {
    for (int i = 1; i <= 5; i++) {
      onStore("run", ORDER, "--id", "o-" + i);
    }
    onStore("cancel", "o-3");

    Shell waiting = damask("cases", store, "--status", "waiting", "--limit", "3");
    assertThat(waiting.out().lines()).hasSize(3).allMatch(line -> line.startsWith("waiting "));
    String cursor = waiting.err().replaceAll("(?s).*--after '(.*)'.*", "$1");
    Shell rest = damask("cases", store, "--status", "waiting", "--after", cursor, "--json");
    assertThat((List<?>) rest.json().getFirst().get("cases")).hasSize(1);
    assertThat(rest.json().getFirst().get("next")).isNull();

    assertThat(damask("cases", store, "--status", "cancelled").out()).contains("o-3");
    assertThat(damask("cases", store, "--workflow", "none").err())
        .isEqualTo("damask: no cases found\n");
    assertThat(damask("cases", store, "--since", "PT1H").out().lines()).hasSize(5);
    assertThat(damask("cases", store, "--until", "2001-01-01T00:00:00Z").out()).isEmpty();
  }

  @Test
  void a_case_is_shown_with_its_tasks_tokens_receipts_and_trace() throws IOException {
    onStore("run", ORDER, "--id", "o-1", "--trace", "full");
    onStore("complete", "o-1", "reserve", "--data", "{\"shelf\": \"B4\"}");
    Path svg = folder.resolve("o.svg");

    Shell shown = onStore("show", "o-1", "-o", svg.toString());

    assertThat(shown.out())
        .startsWith("o-1: waiting (revision 2)\n  workflow order, program ")
        .contains("pending tasks:\n  ", "  charge, effect charge, attempt 1, key o-1:")
        .contains("tokens:\n  1 at do.do[0].par[0]\n")
        .contains("reserve, effect reserve, attempt 1: ok {\"shelf\": \"B4\"}")
        .contains("trace:\n", "PAR-FORK");
    assertThat(Files.readString(svg)).contains("<svg", "charge", "token-text");
    assertThat(damask("show", store, "o-1").exit()).isZero();
  }

  @Test
  void verify_and_backup_look_at_and_copy_a_store() {
    onStore("run", ORDER, "--id", "o-1");
    String copy = folder.resolve("copy").toString();

    assertThat(damask("verify", store).out()).isEqualTo(store + ": no problem found\n");
    assertThat(onStore("verify", "--json").out()).isEqualTo("{\"ok\": true, \"problems\": []}\n");
    assertThat(onStore("backup", copy).out()).isEqualTo(copy + ": copied from " + store + "\n");
    assertThat(damask("complete", copy, "o-1", "charge").exit()).isZero();
    assertThat(damask("show", copy, "o-1").out()).contains("revision 2");
    assertThat(damask("show", store, "o-1").out()).contains("revision 1");
    assertThat(onStore("backup", copy).err())
        .isEqualTo("damask: " + copy + ": the target exists; name a new directory\n");
  }

  @Test
  void what_is_wrong_is_said_in_one_line() throws IOException {
    onStore("run", ORDER, "--id", "order-17");
    String other = file("other.yaml", "{workflow: other, do: {task: x}}");
    String full = Files.createDirectories(folder.resolve("full")).toString();
    Files.writeString(Path.of(full, "letter.txt"), "dear");
    String none = folder.resolve("none").toString();
    Map<List<String>, String> wrong =
        Map.ofEntries(
            Map.entry(
                List.of("cases", none),
                "damask: %s: not a store; 'damask run DOC --store %s' creates one"
                    .formatted(none, none)),
            Map.entry(
                List.of("run", ORDER, "--store", full),
                "damask: %s: neither a store nor an empty directory; name another directory"
                    .formatted(full)),
            Map.entry(
                List.of("show", store, "order-71"),
                "damask: no case 'order-71'; did you mean 'order-17'?"),
            Map.entry(
                List.of("signal", store, "order-1", "approved"),
                "damask: no case 'order-1'; did you mean 'order-17'?"),
            Map.entry(
                List.of("fail", store, "order-17", "chrage"),
                "damask: case order-17 has no pending task 'chrage', did you mean 'charge'?"),
            Map.entry(
                List.of("complete", store, "order-17", "nothing", "--data", "{\"a\": 1}"),
                "damask: case order-17 has no pending task 'nothing', known: charge, reserve"),
            Map.entry(
                List.of("signal", store, "order-17"),
                "damask signal: missing PLACE; see 'damask signal --help'"),
            Map.entry(List.of("cases"), "damask cases: missing DIR; see 'damask cases --help'"),
            Map.entry(
                List.of("show", "a", "b", "c"),
                "damask show: 'c' is an unexpected argument; see 'damask show --help'"),
            Map.entry(
                List.of("cases", store, "--status", "tired"),
                "damask: --status must be one of running, waiting, deadlocked, quarantined,"
                    + " completed, failed, cancelled, corrupt, paused, got 'tired'"),
            Map.entry(
                List.of("cases", store, "--limit", "0"),
                "damask: --limit must be between 1 and 1000, got 0"),
            Map.entry(
                List.of("run", other, "--store", store, "--id", "order-17"),
                "damask: case order-17 is a case of workflow order, not of other"),
            Map.entry(
                List.of("run", "--store", store, "--context", "{}"),
                "damask: --context requires DOC; resumed cases keep what they were started with"),
            Map.entry(
                List.of("run", "--store", store, "--scheduler", "random:1"),
                "damask: --scheduler requires DOC; resumed cases keep what they were started with"),
            Map.entry(
                List.of("run", ORDER, "--store", store, "--id", "a/b"),
                "damask: a case id has from 1 to 128 letters, digits, '.', '_', ':' and '-', got"
                    + " 'a/b'"),
            Map.entry(
                List.of("cancel", store, "order-17", "--document", other),
                "damask: case order-17: started with another version of workflow order than "
                    + other),
            Map.entry(
                List.of("run", ORDER, "--id", "x"), "damask: --id requires --store or --server"));
    wrong.forEach((words, message) -> {
      Shell shell = damask(words.toArray(String[]::new));

      assertThat(shell.err()).as(words.toString()).isEqualTo(message + "\n");
      assertThat(shell.exit()).as(words.toString()).isEqualTo(Exit.INVALID);
    });
    assertThat(Path.of(none)).doesNotExist();
  }

  @Test
  void a_store_that_somebody_holds_is_left_alone() {
    onStore("run", ORDER, "--id", "o-1");
    try (var _ = new StoreFolder(Path.of(store)).open()) {
      Shell shell = onStore("cases");

      assertThat(shell.exit()).isEqualTo(Exit.INVALID);
      assertThat(shell.err())
          .isEqualTo(
              "damask: store %s: in use by process %d; close that engine first\n"
                  .formatted(store, ProcessHandle.current().pid()));
    }
  }

  @Test
  void a_case_that_takes_longer_than_its_document_allows_fails() throws IOException {
    String slow =
        file(
            "slow.yaml",
            "{workflow: slow, limits: {time: 0.05},"
                + " do: {task: t, effect: {type: sleep, with: {for: 30}}}}");

    Shell shell = onStore("run", slow);

    assertThat(shell.exit()).isEqualTo(Exit.FAILED);
    assertThat(shell.out()).contains("the case was to end within PT0.05S");
  }

  @Test
  void the_time_of_a_case_is_up_even_when_nobody_follows_it() throws Exception {
    String slow = file("slow.yaml", "{workflow: slow, limits: {time: 0.3}, do: {task: t}}");
    assertThat(onStore("run", slow, "--id", "s", "--wait", "PT0S").exit()).isEqualTo(Exit.WAITING);
    Thread.sleep(Duration.ofMillis(400));

    Shell later = onStore("run", "--id", "s");

    assertThat(later.exit()).isEqualTo(Exit.FAILED);
    assertThat(later.out()).contains("reason deadline", "the case was to end within PT0.3S");
  }

  @Test
  void a_seed_decides_free_choices_on_a_store_as_well() throws IOException {
    String free =
        file("free.yaml", "{workflow: f, do: {xor: [{do: {set: {n: 1}}}, {do: {set: {n: 2}}}]}}");
    Set<Object> seen = new HashSet<>();
    for (int seed = 0; seed < 20; seed++) {
      Shell shell =
          onStore("run", free, "--id", "c" + seed, "--scheduler", "random:" + seed, "--json");
      assertThat(shell.exit()).as(shell.err()).isZero();
      seen.add(shell.json().getFirst().get("context"));
    }
    assertThat(seen).containsExactlyInAnyOrder(Map.of("n", 1L), Map.of("n", 2L));

    Shell replayed = onStore("run", free, "--scheduler", "replay:some.json");
    assertThat(replayed.exit()).isEqualTo(Exit.INVALID);
    assertThat(replayed.err()).contains("a recording is replayed in memory");
  }

  @Test
  void a_case_that_was_put_aside_says_why_and_can_be_released() {
    onStore("run", ORDER, "--id", "o-1");
    for (int crash = 0; crash < 3; crash++) {
      try (Store opened = new StoreFolder(Path.of(store)).open()) {
        opened.moving(0, "o-1"); // what a process that died in the middle leaves behind
      }
      onStore("run", ORDER, "--id", "o-1");
    }

    Shell run = onStore("run", "--id", "o-1");
    assertThat(run.exit()).isEqualTo(Exit.WAITING);
    assertThat(run.out())
        .contains("o-1: quarantined", "the process died 3 times while it moved", "damask retry");
    assertThat(onStore("cases").out()).contains("quarantined");
    assertThat(onStore("show", "o-1").out()).contains("the process died 3 times while it moved");
    assertThat(onStore("signal", "o-1", "approved").exit()).isNotZero();

    assertThat(onStore("retry", "o-1").exit()).isZero();
    assertThat(onStore("run", "--id", "o-1").out()).contains("o-1: waiting");
  }

  @Test
  void a_case_keeps_the_workflow_it_was_started_with() throws IOException {
    String document = file("w.yaml", "{workflow: w, do: [{task: a}, {set: {old: true}}]}");
    onStore("run", document, "--id", "one");
    file("w.yaml", "{workflow: w, do: [{task: a}, {set: {new: true}}]}");

    Shell again = onStore("run", document, "--id", "one");
    onStore("complete", "one", "a");
    Shell ended = onStore("show", "one");

    assertThat(again.err())
        .isEqualTo("damask: resuming case one with the workflow version it was started with\n");
    assertThat(ended.out()).contains("one: completed", "old: true").doesNotContain("new: true");
  }

  @Test
  void all_cases_are_explained_tried_and_moved_to_a_new_version() throws IOException {
    String old = file("old.yaml", "{workflow: w, do: [{task: ask}, {task: tell}]}");
    String next = file("next.yaml", "{workflow: w, do: [{task: question}, {task: tell}]}");
    for (String id : List.of("o-1", "o-2", "o-3")) {
      onStore("run", old, "--id", id);
    }
    onStore("complete", "o-3", "ask");

    Shell plan = onStore("migrate", next, "--plan");
    assertThat(plan.exit()).as(plan.err()).isEqualTo(Exit.DIFFERENT);
    assertThat(plan.out())
        .contains("task ask at do[0]: refused", "task tell at do[1]: becomes do[1]");
    Shell tried = onStore("migrate", next, "--dry-run");
    assertThat(tried.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(tried.out()).contains(": 1 can be migrated, 2 cannot be migrated\n  2: task ask");
    assertThat(onStore("migrate", next, "--plan", "--task", "ask=question").exit()).isZero();

    Shell moved = onStore("migrate", next, "--all", "--batch", "2", "--task", "ask=question");
    assertThat(moved.exit()).as(moved.err()).isZero();
    assertThat(moved.out()).contains(": 3 migrated, 0 cannot be migrated");
    assertThat(onStore("complete", "o-1", "question").out())
        .isEqualTo("o-1: accepted; waiting for task tell\n");
    assertThat(onStore("verify").exit()).isZero();
  }

  @Test
  void a_waiting_case_moves_to_a_new_version_or_says_why_not() throws IOException {
    String old = file("old.yaml", "workflow: w\ndo: [{task: ask}]\n");
    String next = file("next.yaml", "workflow: w\ndo: [{task: question}, {task: after}]\n");
    String other = file("other.yaml", "workflow: w\ndo: [{task: something}]\n");
    onStore("run", old, "--id", "o-1");

    Shell refused = onStore("migrate", "o-1", other);
    assertThat(refused.exit()).as(refused.err()).isEqualTo(Exit.DIFFERENT);
    assertThat(refused.out())
        .startsWith("o-1: not migrated; nothing was changed\n  ")
        .contains("ask");

    Shell moved = onStore("migrate", "o-1", next, "--task", "ask=question");
    assertThat(moved.exit()).as(moved.err()).isZero();
    assertThat(moved.out()).isEqualTo("o-1: moved; waiting for task question\n");

    assertThat(onStore("complete", "o-1", "question").out())
        .isEqualTo("o-1: accepted; waiting for task after\n");
    assertThat(onStore("verify").exit()).isZero();
  }
}
