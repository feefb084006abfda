package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `damask run` at a server whose cases move between two requests.
@Timeout(60)
final class ServedRunTest {
  private static final String CASE = "/v1/cases/c";
  private static final String SUMMARY = CASE + "/summary?tail=0";

  private static final String WAITING = "{'workflow': 'w', 'status': 'WAITING', 'revision': 1}";
  private static final String COMPLETED = WAITING.replace("WAITING", "COMPLETED");

  private final Map<String, Deque<String>> answers = new HashMap<>();

  /// Sets what a path answers, one after the other; the last one stays.
  private void answer(String path, String... bodies) {
    answers.put(path, new ArrayDeque<>(List.of(bodies)));
  }

  private synchronized @Nullable String body(String path) {
    Deque<String> bodies = answers.get(path);
    if (bodies == null) {
      return null;
    }
    String body = bodies.size() == 1 ? bodies.getFirst() : bodies.removeFirst();
    return body.replace('\'', '"');
  }

  private static String summary(String status, String run) {
    return "{'status': '%s', 'more': {'run': {'status': '%s', 'steps': 3}}}".formatted(status, run);
  }

  private Shell run() throws IOException {
    try (StubServer server = StubServer.damask(this::body)) {
      return damask("run", "--id", "c", "--server", "http://" + server.place(), "--token", "t");
    }
  }

  @Test
  void a_case_that_another_client_moves_before_the_report_is_followed_on() throws IOException {
    answer("/v1/workflows", "{'items': []}");
    answer(CASE, WAITING, WAITING, COMPLETED);
    answer(SUMMARY, summary("running", "running"), summary("completed", "completed"));

    Shell shell = run();

    assertThat(shell.out()).startsWith("c: completed (3 steps");
    assertThat(shell.exit()).as(shell.err()).isZero();
  }

  @Test
  void a_case_that_was_paused_while_it_ran_waits() throws IOException {
    answer("/v1/workflows", "{'items': []}");
    answer(CASE, WAITING.replace("WAITING", "PAUSED"));
    answer(SUMMARY, summary("paused", "running"));

    Shell shell = run();

    assertThat(shell.out()).startsWith("c: waiting (3 steps");
    assertThat(shell.exit()).as(shell.err()).isEqualTo(Exit.WAITING);
  }

  @Test
  void a_case_whose_state_cannot_be_read_is_reported_with_its_reason() throws IOException {
    answer("/v1/workflows", "{'items': []}");
    answer(CASE, WAITING.replace("WAITING", "CORRUPT"));
    answer(
        SUMMARY,
        "{'status': 'corrupt', 'reason': 'bad bytes', 'more': {'reasons': ['bad bytes']}}");

    Shell shell = run();

    assertThat(shell.out()).isEqualTo("c: corrupt (0 steps, 0 effects)\n  bad bytes\n");
    assertThat(shell.exit()).as(shell.err()).isEqualTo(Exit.WAITING);
  }

  @Test
  void the_start_of_a_child_whose_workflow_the_server_has_is_awaited() throws IOException {
    String task =
        "{'workflow': 'w', 'status': 'WAITING', 'revision': 1, 'effects': [{'id': '1',"
            + " 'task': 't', 'name': 't', 'type': 'child', 'key': 'c-child',"
            + " 'payload': {'workflow': 'child'}}]}";
    answer("/v1/workflows", "{'items': [{'workflow': 'child', 'current': true}]}");
    answer(CASE, task, task, task, COMPLETED);
    answer(SUMMARY, summary("completed", "completed"));

    assertThat(run().out()).startsWith("c: completed");
    assertThat(answers.get(CASE)).containsExactly(COMPLETED);

    answer("/v1/workflows", "{'items': []}");
    answer(CASE, task);
    answer(SUMMARY, summary("waiting", "waiting"));
    assertThat(run().exit()).isEqualTo(Exit.WAITING);
  }
}
